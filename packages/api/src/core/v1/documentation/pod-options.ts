import type { TypeDocumentation } from "@orchernetes/apimachinery";

const streams = {
  stdin: "Connects the client to standard input if true. Default false.",
  stdout: "Sends standard output to the client if true.",
  stderr: "Sends standard error to the client if true. Not together with tty, which merges both outputs.",
};
const proxyPath = "The part of the URL to pass on, such as a path with a query.";

/** Texts of the types in `types/pod-options.ts`. */
export const documentation: TypeDocumentation = {
  PodLogOptions: {
    "": "Which part of a container's log is to be sent, and in which form. Given as query parameters of the log subresource of pods.",
    container: "Container to read the log of. May be left out if the pod has just one.",
    follow: "Keeps the response open and sends new lines as they are written. Default false.",
    previous: "Reads the log of the container's run before its last restart. Default false.",
    sinceSeconds: "Leaves out lines older than this many seconds, at least 1. Not together with sinceTime.",
    sinceTime: "Leaves out lines older than this point in time. Not together with sinceSeconds.",
    timestamps: "Puts the time, in RFC 3339 with nanoseconds, in front of every line. Default false.",
    tailLines: "Sends only this many lines from the end. All lines if absent.",
    limitBytes: "Stops after this many bytes, at least 1, even within a line.",
    insecureSkipTLSVerifyBackend:
      "Has orch-apiserver skip the check of the orchlet's serving certificate. The log may then come from another server. Default false.",
  },
  PodAttachOptions: {
    "": "Which streams of a running container to connect to. Given as query parameters of the attach subresource of pods.",
    ...streams,
    tty: "Says that the container runs with a terminal, so that output is a single stream. Default false.",
    container: "Container to attach to. May be left out if the pod has just one.",
  },
  PodExecOptions: {
    "": "Which command to run in a container, and which streams to connect. Given as query parameters of the exec subresource of pods.",
    ...streams,
    tty: "Gives the command a terminal. Default false.",
    container: "Container to run the command in. May be left out if the pod has just one.",
    command: "Program and arguments, one item each. No shell is involved.",
  },
  PodPortForwardOptions: {
    "": "Which ports of a pod to forward. Given as query parameters of the portforward subresource of pods.",
    ports: "Port numbers in the pod. Needed for connections over WebSocket; with SPDY each stream names its own.",
  },
  PodProxyOptions: {
    "": "What is passed on to a pod through the proxy subresource.",
    path: proxyPath,
  },
  NodeProxyOptions: {
    "": "What to pass on to the orchlet of a node through the proxy subresource.",
    path: proxyPath,
  },
  ServiceProxyOptions: {
    "": "What to pass on to an endpoint of a service through the proxy subresource.",
    path: proxyPath,
  },
};
