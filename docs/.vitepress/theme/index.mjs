// The default theme without its fonts: the site asks nobody for anything, and the fonts of the system do.
export { default } from "vitepress/theme-without-fonts";
