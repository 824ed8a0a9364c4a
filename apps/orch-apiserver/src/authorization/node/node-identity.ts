/** Name of the node that a user represents; undefined for any other user. */
export function nodeOf(user: { readonly name: string; readonly groups: readonly string[] }): string | undefined {
  const prefix = "system:node:";
  if (!user.name.startsWith(prefix) || !user.groups.includes("system:nodes")) return undefined;
  const name = user.name.slice(prefix.length);
  return name === "" ? undefined : name;
}

/** Whether a user is in the nodes' group without naming a node. */
export function isNodeGroupMember(user: { readonly groups: readonly string[] }): boolean {
  return user.groups.includes("system:nodes");
}
