import { compacted, futureRevision } from "../errors.ts";
import type { Revision } from "../revision.ts";

/** The revisions that can be read. Shared by the parts of one embedded store; only the writer and the compactor change it. */
export class History {
  /** The latest durable revision. */
  current: Revision;
  /** The oldest revision that can be read. */
  compacted: Revision;
  /** Whether a transaction is in flight; the tables may then contain versions later than `current`. */
  writing = false;

  constructor(current: Revision, compactedAt: Revision) {
    this.current = current;
    this.compacted = compactedAt;
  }

  /** Returns the revision to read at: the requested one, or the latest. @throws StoreError `FutureRevision` or `Compacted` */
  readable(revision: Revision | undefined): Revision {
    if (revision === undefined) return this.current;
    if (revision > this.current) throw futureRevision(revision, this.current);
    if (revision < this.compacted) throw compacted(revision, this.compacted);
    return revision;
  }
}
