import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  isObject,
  type JsonObject,
  parseJson,
  setOwn,
} from "@orchernetes/apimachinery";
import { everyResource, minimalObject } from "../generate/minimal-objects.ts";
import { randomObject } from "../generate/object.ts";
import { jsonPatchBody, mergePatchBody, strategicPatchBody } from "../generate/patch-body.ts";
import type { Random } from "../random.ts";
import type { PureTarget } from "../target.ts";
import { attempt, deepFreeze, isClientError, isDecodeError, notPlain, sameJson } from "./attempt.ts";
import { keyOf, resourceOf } from "./kinds.ts";

interface PatchCase extends Readonly<Record<string, string>> {
  readonly resource: string;
  readonly document: string;
  readonly patch: string;
}

type Apply = (resource: string, document: JsonObject, patch: unknown) => unknown;

/**
 * Applies a patch twice and compares the results. Document and patch are frozen: applying must not change either of
 * them, since the server still needs both for a retry after a conflict.
 */
function checked(
  input: PatchCase,
  apply: Apply,
  further: (document: JsonObject, patch: unknown, result: unknown) => string | undefined,
) {
  const read = attempt(() => [parseJson(input.document).value, parseJson(input.patch).value] as const, isDecodeError);
  if (!read.ok) return undefined;
  const [document, patch] = deepFreeze(read.value);
  if (!isObject(document)) return undefined;
  const result = attempt(() => apply(input.resource, document, patch), isClientError);
  if (!result.ok) return undefined;
  const again = apply(input.resource, document, patch);
  if (!sameJson(again, result.value)) return "applying the same patch to the same document again gives another result";
  return further(document, patch, result.value);
}

function generated(
  random: Random,
  body: (resource: (typeof everyResource)[number], document: unknown) => unknown,
): PatchCase {
  const definition = random.pick(everyResource);
  const document = random.chance(0.4) ? minimalObject(definition, "fuzz-1") : randomObject(random, definition);
  return {
    resource: keyOf(definition),
    document: JSON.stringify(document),
    patch: JSON.stringify(body(definition, document)) ?? "null",
  };
}

/** JSON patches (RFC 6902). */
export const jsonPatchTarget: PureTarget<PatchCase> = {
  name: "json-patch",
  generate: (random) => generated(random, (_definition, document) => jsonPatchBody(random, document)),
  check: (input) =>
    checked(
      input,
      (_resource, document, patch) => applyJsonPatch(document, patch),
      (document, patch, result) =>
        Array.isArray(patch) && patch.length === 0 && !sameJson(document, result)
          ? "an empty patch changes the document"
          : undefined,
    ),
};

/** JSON merge patches (RFC 7386), compared with the pseudocode in the RFC. */
export const mergePatchTarget: PureTarget<PatchCase> = {
  name: "merge-patch",
  generate: (random) => generated(random, (definition) => mergePatchBody(random, definition)),
  check: (input) =>
    checked(
      input,
      (_resource, document, patch) => applyMergePatch(document, patch),
      (document, patch, result) => (sameJson(reference(document, patch), result) ? undefined : "differs from RFC 7386"),
    ),
};

/** The algorithm of RFC 7386 section 2. */
function reference(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const out: JsonObject = {};
  if (isObject(target)) for (const key of Object.keys(target)) setOwn(out, key, target[key]);
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) delete out[key];
    else setOwn(out, key, reference(Object.hasOwn(out, key) ? out[key] : undefined, value));
  }
  return out;
}

/** Strategic merge patches: an empty one changes nothing, and the result is plain JSON. */
export const strategicPatchTarget: PureTarget<PatchCase> = {
  name: "strategic-patch",
  generate: (random) => generated(random, (definition) => strategicPatchBody(random, definition)),
  check: (input) =>
    checked(
      input,
      (resource, document, patch) => applyStrategicMergePatch(resourceOf(resource).schema, document, patch),
      (document, _patch, result) => {
        const { schema } = resourceOf(input.resource);
        if (!sameJson(applyStrategicMergePatch(schema, document, {}), document))
          return "an empty patch changes the document";
        return notPlain(result);
      },
    ),
};
