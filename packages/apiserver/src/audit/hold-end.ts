import type { HttpResponse } from "@orchernetes/kernel";

type Done = (error?: Error | null) => void;

/** A piece of a response body that has not been passed on. */
interface Piece {
  readonly chunk: unknown;
  readonly encoding: BufferEncoding | undefined;
  readonly done: Done | undefined;
}

/** The arguments of `write` and `end` in one form. */
function pieceOf(chunk: unknown, second: unknown, third: unknown): Piece {
  if (typeof chunk === "function") return { chunk: undefined, encoding: undefined, done: chunk as Done };
  const done = typeof second === "function" ? second : third;
  return {
    chunk,
    encoding: typeof second === "string" ? (second as BufferEncoding) : undefined,
    done: done as Done | undefined,
  };
}

/**
 * Holds back the last piece of a response until its record is written: a client that has the whole response can rely on
 * the record. Any piece may be the last one, so each is passed on when the next one comes.
 *
 * @param recorded called at the end, with the status of the response; undefined if there is nothing to wait for
 * @param onHeld called with a promise that resolves when a held response has been sent
 */
export function holdEnd(
  res: HttpResponse,
  recorded: (code: number) => void | Promise<void>,
  onHeld: (sent: Promise<void>) => void,
): void {
  const write = res.write.bind(res) as (chunk: unknown, encoding?: BufferEncoding, done?: Done) => boolean;
  const end = res.end.bind(res) as (chunk?: unknown, encoding?: BufferEncoding, done?: Done) => HttpResponse;
  let held: Piece | undefined;
  let ending = false;
  const pass = ({ chunk, encoding, done }: Piece): boolean => write(chunk, encoding, done);
  const finish = ({ chunk, encoding, done }: Piece): void => {
    if (held !== undefined) pass(held);
    held = undefined;
    // Over HTTP/2, Node's `end` passes its piece to `write`, which would hold it back for ever.
    res.write = write as HttpResponse["write"];
    end(chunk, encoding, done);
  };
  res.write = ((chunk: unknown, second?: unknown, third?: unknown): boolean => {
    // As after any write, no other response can be sent from now on.
    if (!res.headersSent) res.flushHeaders();
    const before = held;
    held = pieceOf(chunk, second, third);
    return before === undefined || pass(before);
  }) as HttpResponse["write"];
  res.end = ((chunk?: unknown, second?: unknown, third?: unknown): HttpResponse => {
    const last = pieceOf(chunk, second, third);
    // The second call of `end` comes from the timeout, while the first one is held.
    const waiting = ending ? undefined : recorded(res.statusCode);
    if (ending) held = undefined;
    ending = true;
    if (waiting === undefined) finish(last);
    else
      onHeld(
        waiting.then(() => {
          if (!res.writableEnded) finish(last);
        }),
      );
    return res;
  }) as HttpResponse["end"];
}
