import type { Draft } from "@orchernetes/apimachinery";
import type { Container, EphemeralContainer } from "../types/container.ts";
import type { HTTPGetAction, LifecycleHandler, Probe } from "../types/probe.ts";

type AnyContainer = Draft<Container> | Draft<EphemeralContainer>;

/** Sets the defaults of a container of any kind; idempotent. */
export function defaultContainer(container: AnyContainer): void {
  // `||=`: a field that is not a pointer in Kubernetes has no explicit zero, so "" and 0 are the same as absent.
  container.resources ??= {};
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  container.imagePullPolicy ||= pullPolicy(container.image ?? "");
  for (const port of container.ports ?? []) {
    port.protocol ||= "TCP";
  }
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef !== undefined) {
      valueFrom.fieldRef.apiVersion ||= "v1";
    }
    if (valueFrom?.resourceFieldRef !== undefined) {
      valueFrom.resourceFieldRef.divisor ||= "0";
    }
  }
  defaultProbe(container.livenessProbe);
  defaultProbe(container.readinessProbe);
  defaultProbe(container.startupProbe);
  defaultHandler(container.lifecycle?.postStart);
  defaultHandler(container.lifecycle?.preStop);
}

/**
 * Sets absent requests to the limit.
 *
 * This applies to pods only, not to templates: a template keeps what its owner wrote, and a LimitRange may still add
 * limits to the pod.
 */
export function defaultRequests(container: AnyContainer): void {
  const { limits } = container.resources ?? {};
  if (limits === undefined || container.resources === undefined) {
    return;
  }
  container.resources.requests ??= {};
  const { requests } = container.resources;
  for (const name of Object.keys(limits)) {
    const limit = limits[name];
    if (limit !== undefined && !Object.hasOwn(requests, name)) {
      requests[name] = limit;
    }
  }
}

/**
 * Sets host ports to the container ports, for pods in the host's network: the scheduler needs them to keep two such
 * pods apart.
 */
export function defaultHostPorts(containers: Draft<Container>[]): void {
  for (const container of containers) {
    for (const port of container.ports ?? []) {
      port.hostPort ||= port.containerPort;
    }
  }
}

/**
 * The default pull policy. Images that may change under the same name are always pulled: those with tag `latest`, and
 * those without tag and digest.
 */
function pullPolicy(image: string): "Always" | "IfNotPresent" {
  const at = image.indexOf("@");
  const name = at < 0 ? image : image.slice(0, at);
  const colon = name.lastIndexOf(":");
  if (colon > name.lastIndexOf("/")) {
    return name.slice(colon + 1) === "latest" ? "Always" : "IfNotPresent";
  }
  return at < 0 && name !== "" ? "Always" : "IfNotPresent";
}

/** Zero is no valid value of these fields, and so means absent. */
function defaultProbe(probe: Draft<Probe> | undefined): void {
  if (probe === undefined) {
    return;
  }
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  defaultHttpGet(probe.httpGet);
  if (probe.grpc !== undefined) {
    // A pointer: "" is stored, and asks for the health of the server as a whole.
    probe.grpc.service ??= "";
  }
}

function defaultHandler(handler: Draft<LifecycleHandler> | undefined): void {
  defaultHttpGet(handler?.httpGet);
}

function defaultHttpGet(action: Draft<HTTPGetAction> | undefined): void {
  if (action !== undefined) {
    action.path ||= "/";
    action.scheme ||= "HTTP";
  }
}
