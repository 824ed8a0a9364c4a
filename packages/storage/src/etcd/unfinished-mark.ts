/**
 * The key in etcd that says that the keys under a prefix are not complete, as the migration that writes them has not finished.
 *
 * @param prefix such as `/registry`
 */
export function unfinishedMark(prefix: string): Buffer {
  return Buffer.from(`orch-etcd/unfinished${prefix}`);
}
