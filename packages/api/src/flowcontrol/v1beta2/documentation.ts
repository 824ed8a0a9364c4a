import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { documentation as v1beta3 } from "../v1beta3/documentation.ts";

const { nominalConcurrencyShares: assuredConcurrencyShares = "", ...limited } =
  v1beta3.LimitedPriorityLevelConfiguration ?? {};

/** Texts of the types of flowcontrol.apiserver.o8s.io/v1beta2: those of v1beta3, where one field has another name. */
export const documentation: TypeDocumentation = {
  ...v1beta3,
  LimitedPriorityLevelConfiguration: { ...limited, assuredConcurrencyShares },
};
