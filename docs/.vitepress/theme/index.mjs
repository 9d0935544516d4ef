// The default theme with the fonts of the system, so that the site needs no font files.
import theme from "vitepress/theme-without-fonts";
import "./style.css";

export default theme;
