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

/** Takes documents and patches apart; what either of them is must not change while the other is applied. */
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

/** RFC 6902. */
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

/** RFC 7386, against its own pseudo code. */
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

/** Strategic merge patches: what an empty one does, and that directives never get into documents. */
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
