import { cors, goaway, type HttpFilter, strictTransportSecurity } from "@orchernetes/apiserver";
import type { Flags } from "./flags/index.ts";
import { compileRe2 } from "./re2.ts";

/** The filters that the flags switch on. A server without them pays nothing. */
export function httpFilters(
  flags: Pick<Flags, "cors-allowed-origins" | "strict-transport-security-directives" | "goaway-chance">,
): readonly HttpFilter[] {
  const origins = flags["cors-allowed-origins"];
  const directives = flags["strict-transport-security-directives"];
  const chance = flags["goaway-chance"];
  return [
    ...(directives.length === 0 ? [] : [strictTransportSecurity(directives)]),
    ...(origins.length === 0 ? [] : [cors(origins.map((source) => originPattern(source)))]),
    ...(chance === 0 ? [] : [goaway(chance)]),
  ];
}

/** In RE2, since origins come from anyone. */
function originPattern(source: string): { test(text: string): boolean } {
  const expression = compileRe2(source);
  return { test: (text) => expression.matcher(text).find() };
}
