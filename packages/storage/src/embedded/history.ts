import { compacted, futureRevision } from "../errors.ts";
import type { Revision } from "../store.ts";

/** Which revisions can be read. Shared by the parts of one embedded store; only the writer and the compactor change it. */
export class History {
  /** The latest durable revision. */
  current: Revision;
  /** The oldest revision that can be read. */
  compacted: Revision;
  /** Whether a transaction is on its way to disk: then tables may already hold versions after `current`. */
  writing = false;

  constructor(current: Revision, compactedAt: Revision) {
    this.current = current;
    this.compacted = compactedAt;
  }

  /** The revision to read at: the one asked for, or the latest. */
  readable(revision: Revision | undefined): Revision {
    if (revision === undefined) return this.current;
    if (revision > this.current) throw futureRevision(revision, this.current);
    if (revision < this.compacted) throw compacted(revision, this.compacted);
    return revision;
  }
}
