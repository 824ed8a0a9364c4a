import type { Answer, SoaAnswer } from "dns-packet";

/** What the zone knows of a name and type. */
export type ZoneAnswer =
  /** The name is in none of the zones. */
  | { readonly kind: "outside" }
  /** The name was not found, but not all objects have been read. */
  | { readonly kind: "unsynced" }
  /** The name does not exist, nor do names below it. */
  | { readonly kind: "noSuchName"; readonly soa: SoaAnswer }
  /** Without `answers` the name exists, but has no records of the type (NODATA). */
  | {
      readonly kind: "records";
      readonly answers: readonly Answer[];
      readonly additionals: readonly Answer[];
      readonly soa: SoaAnswer;
    }
  /** The name stands for another one, which may be in the zone or not. `target` is a normal name. */
  | { readonly kind: "alias"; readonly record: Answer; readonly target: string };
