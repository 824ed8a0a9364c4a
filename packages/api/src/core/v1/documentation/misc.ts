import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types in `types/misc.ts`. */
export const documentation: TypeDocumentation = {
  Preconditions: {
    "": "What an object must be for it to be deleted. Old form; the type of the same name in meta/v1 has taken its place.",
    uid: "The UID that the object must have.",
  },
};
