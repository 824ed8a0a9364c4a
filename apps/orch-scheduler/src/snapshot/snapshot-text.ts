import { slimPod } from "../cache/slim-pod.ts";
import type { Snapshot } from "./snapshot.ts";
import { withoutAttributes, withoutMachine, withoutParameters } from "./without-secrets.ts";

/** Number of objects in one piece of text. */
const PER_PIECE = 50;
/** An attempt can have a million characters. */
const ATTEMPTS_PER_PIECE = 1;

/** What is left of the elements of a list. Lists without an entry stay as they are. */
const reduce: {
  readonly [K in keyof Snapshot]?: (element: Snapshot[K] extends readonly (infer E)[] ? E : never) => unknown;
} = {
  nodes: (node) => node && withoutMachine(node),
  placed: ({ node, pod }) => ({ node, pod: slimPod(pod) }),
  nominated: ({ node, pod }) => ({ node, pod: slimPod(pod) }),
  pending: (pod) => slimPod(pod),
  volumes: (volume) => withoutAttributes(volume),
  classes: (one) => withoutParameters(one),
};

function* listPieces(
  list: readonly unknown[],
  perPiece: number,
  reduced: (element: unknown) => unknown,
): Generator<string> {
  for (let first = 0; first < list.length; first += perPiece) {
    const lines = list.slice(first, first + perPiece).map((element) => JSON.stringify(reduced(element)));
    yield `${first === 0 ? "\n" : ",\n"}${lines.join(",\n")}`;
  }
}

/**
 * The text of a snapshot in pieces that each take about a millisecond: one JSON object, with a line for each element of a
 * list. Pods are reduced to what decisions read: environments, commands and annotations are never written.
 */
export function* snapshotText(snapshot: Snapshot): Generator<string> {
  let before = "{";
  for (const [field, value] of Object.entries(snapshot) as [keyof Snapshot, unknown][]) {
    yield `${before}\n${JSON.stringify(field)}: `;
    before = ",";
    if (!Array.isArray(value)) {
      yield JSON.stringify(value);
      continue;
    }
    yield "[";
    const perPiece = field === "attempts" ? ATTEMPTS_PER_PIECE : PER_PIECE;
    const reduced = reduce[field] as ((element: unknown) => unknown) | undefined;
    yield* listPieces(value, perPiece, reduced ?? ((element) => element));
    yield "]";
  }
  yield "\n}\n";
}
