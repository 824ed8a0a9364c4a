import { findCondition } from "@orchernetes/component-helpers";
import type { CallContext, CloudNode, Instances } from "../../provider/cloud-provider.ts";
import { CloudCallError } from "../../provider/cloud-result.ts";
import { hasTaint, SHUTDOWN_TAINT } from "../node/cloud-taints.ts";

/** What is done about a node. */
export type NodeDecision =
  | { readonly type: "keep" }
  /** It is ready: the taint of machines that are shut down goes. */
  | { readonly type: "untaint" }
  /** Its machine is shut down. */
  | { readonly type: "taint" }
  /** Its machine does not exist. */
  | { readonly type: "delete" };

const keep: NodeDecision = { type: "keep" };

/**
 * Decides what is done about a node. The cloud is asked only about nodes that are not ready.
 *
 * @throws CloudCallError if the cloud gave no answer: then nothing is done
 */
export async function decideNode(
  node: CloudNode,
  instances: Instances,
  context: () => CallContext,
): Promise<NodeDecision> {
  const { name } = node.metadata;
  const isTainted = hasTaint(node, SHUTDOWN_TAINT);
  if (findCondition(node.status?.conditions, "Ready")?.status === "True") return isTainted ? { type: "untaint" } : keep;
  const exists = await instances.exists(node, context());
  if (!exists.ok) throw new CloudCallError(`error checking if node ${name} exists`, exists.error);
  if (!exists.value) return { type: "delete" };
  const isShutDown = await instances.isShutDown(node, context());
  if (isShutDown.ok) return isShutDown.value && !isTainted ? { type: "taint" } : keep;
  if (isShutDown.error.code === "NotImplemented") return keep;
  throw new CloudCallError(`error checking if node ${name} is shutdown`, isShutDown.error);
}
