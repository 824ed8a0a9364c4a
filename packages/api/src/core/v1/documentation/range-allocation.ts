import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { objectMetadata } from "./phrases.ts";

/** Texts of the types in `types/range-allocation.ts`. */
export const documentation: TypeDocumentation = {
  RangeAllocation: {
    "": "Which members of a range, such as service addresses or node ports, are taken. orch-apiserver keeps it for itself; it is not served.",
    metadata: objectMetadata,
    range: "The range as text: a CIDR such as 10.0.0.0/24, or ports such as 30000-32767.",
    data: "One bit for each member of the range, set if taken, in base64.",
  },
};
