// Values that the build makes.

declare module "virtual:type-names" {
  /** By type: names by language of the page, or its `own`. */
  export const names: Record<string, Record<string, string>>;
}

/** The address of the source; empty if it is not known. */
declare const SOURCE_ADDRESS: string;
