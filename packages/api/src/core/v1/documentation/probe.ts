import type { TypeDocumentation } from "@orchernetes/apimachinery";

const port = "Port to connect to: a number from 1 to 65535, or the name of one of the container's ports.";

const handlers = {
  exec: "Runs a command in the container. Exit code 0 is a success.",
  httpGet: "Sends an HTTP GET request. A status from 200 to 399 is a success.",
};

const probeHandlers = {
  ...handlers,
  tcpSocket: "Opens a TCP connection. A connection that is established is a success.",
  grpc: "Calls the gRPC health checking service. The answer SERVING is a success.",
};

/** Texts of the types in `types/probe.ts`. */
export const documentation: TypeDocumentation = {
  HTTPHeader: {
    "": "One header of an HTTP request.",
    name: "Name of the header: letters, digits and '-'. Several headers may have the same name.",
    value: "Value of the header.",
  },
  HTTPGetAction: {
    "": "An HTTP GET request, sent by the orchlet.",
    path: "Path to request, with an optional query. Default /.",
    port,
    host: "Host to connect to. The pod's IP if left out. To send another host name to the pod, set a Host header instead.",
    scheme: "HTTP or HTTPS. With HTTPS the certificate is not checked. Default HTTP.",
    httpHeaders: "Headers to send along.",
  },
  TCPSocketAction: {
    "": "A TCP connection, opened by the orchlet and closed immediately.",
    port,
    host: "Host to connect to. The pod's IP if left out.",
  },
  GRPCAction: {
    "": "A call of the gRPC health checking service in the container.",
    port: "Port number of the gRPC server, 1 to 65535.",
    service:
      "Service to ask about, as sent in the health check request. Default is the empty name, which means the whole server.",
  },
  ExecAction: {
    "": "A command that runs in the container.",
    command:
      "Program and arguments, one item each. No shell is involved, and the working directory is the root of the container's file system.",
  },
  Probe: {
    "": "A check that the orchlet repeats to find out whether a container works. Exactly one of exec, httpGet, tcpSocket and grpc says how.",
    ...probeHandlers,
    initialDelaySeconds: "Seconds between the start of the container and the first check. Default 0.",
    timeoutSeconds: "Seconds after which a check counts as failed. At least 1, which is the default.",
    periodSeconds: "Seconds from one check to the next. At least 1, default 10.",
    successThreshold:
      "How many checks in a row must succeed after a failure to count as a success again. Default 1, and nothing else is allowed for liveness and startup probes.",
    failureThreshold:
      "How many checks in a row must fail after a success to count as a failure. At least 1, default 3.",
    terminationGracePeriodSeconds:
      "Seconds that the container gets to end when this probe has failed, in place of the pod's terminationGracePeriodSeconds. At least 1. Not allowed for readiness probes.",
  },
  ProbeHandler: {
    "": "How a check is made. Exactly one field is set.",
    ...probeHandlers,
  },
  LifecycleHandler: {
    "": "What is done at one point of a container's life cycle. Exactly one field is set.",
    ...handlers,
    tcpSocket:
      "Deprecated and without effect: it is accepted for compatibility, but the orchlet does nothing about it.",
  },
  Lifecycle: {
    "": "What to do right after a container has started and right before it is stopped.",
    postStart:
      "Run as soon as the container is created, without a guarantee that this is before the container's own program starts. The container counts as running only once it has finished; if it fails, the container is killed and restarted as restartPolicy says.",
    preStop:
      "Run before the container is stopped because of a deletion, a failed liveness probe, an eviction or the like; not if it ends by itself. It runs within the grace period, and the stop signal follows when it has finished or the period is over.",
  },
};
