// Names of entity types. The API takes them in any case and returns some in upper case; the console has one spelling.

/** Returns a name as the detectors have it, such as `credit_card`. */
export const typeName = (type: string) => type.toLowerCase();

/** Returns a map by types with their names in one spelling. */
export function byTypeName<Value>(map: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(map).map(([type, value]) => [typeName(type), value]));
}
