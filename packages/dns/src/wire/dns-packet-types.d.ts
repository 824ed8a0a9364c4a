// The numbers and names of record types, which dns-packet keeps in a file of its own.
declare module "dns-packet/types.js" {
  const types: { toString(type: number): string; toType(name: string): number };
  export default types;
}
