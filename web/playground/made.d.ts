// Values that the build makes.

declare module "virtual:type-titles" {
  /** By language of the page and type; `own` has those of types that several countries share. */
  export const titles: Record<string, Record<string, string>>;
}

/** The address of the source; empty if it is not known. */
declare const SOURCE_ADDRESS: string;
