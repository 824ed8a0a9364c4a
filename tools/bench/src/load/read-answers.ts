const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

/** Finds the ends of responses and reads their status; keeps no body. */
export function answerReader(onAnswer: (status: number) => void): (data: Buffer) => void {
  let left = 0;
  let chunkTail: Buffer | undefined;
  let head: Buffer | undefined;
  let status = 0;
  return (data) => {
    if (chunkTail !== undefined) {
      // No data follows a response until the next request is sent, so a chunked body ends with the data.
      const tail: Buffer = Buffer.concat([chunkTail, data.subarray(-LAST_CHUNK.length)]);
      chunkTail = Buffer.from(tail.subarray(-LAST_CHUNK.length));
      if (!chunkTail.equals(LAST_CHUNK)) return;
      chunkTail = undefined;
      onAnswer(status);
      return;
    }
    if (left > 0) {
      left -= data.length;
      if (left <= 0) onAnswer(status);
      return;
    }
    const bytes = head === undefined ? data : Buffer.concat([head, data]);
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) {
      head = bytes;
      return;
    }
    head = undefined;
    const text = bytes.toString("latin1", 0, end);
    status = Number(text.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    if (length === undefined) {
      chunkTail = Buffer.from(bytes.subarray(-LAST_CHUNK.length));
      if (!chunkTail.equals(LAST_CHUNK)) return;
      chunkTail = undefined;
    } else {
      left = Number(length) - (bytes.length - end - HEAD_END.length);
      if (left > 0) return;
    }
    onAnswer(status);
  };
}
