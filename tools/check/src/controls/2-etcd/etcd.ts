import { type Control, judged, notApplicable } from "../../control.ts";
import { flagControl, flagsSetControl, flagsUnseen, is, isSet } from "../shared/flag-control.ts";

const daemon = "etcd";

/** A control that applies only where the store is an etcd: the embedded store has no connections to secure. */
function withServer(control: Control): Control {
  return {
    ...control,
    judge(evidence) {
      const embedded = evidence.daemons["orch-apiserver"]?.flags.get("storage-backend") === "embedded";
      return embedded ? notApplicable("the store is embedded in the API server") : control.judge(evidence);
    },
  };
}

const controls: readonly Control[] = [
  flagsSetControl({
    number: "2.1",
    title: "etcd serves its clients over TLS",
    daemon,
    flags: ["cert-file", "key-file"],
    remedy: "etcd --cert-file=FILE --key-file=FILE",
  }),
  flagControl({
    number: "2.2",
    title: "etcd asks clients for certificates",
    daemon,
    flag: "client-cert-auth",
    absent: "false",
    accept: is("true"),
    remedy: "etcd --client-cert-auth",
  }),
  flagControl({
    number: "2.3",
    title: "etcd makes no certificates for its clients itself",
    daemon,
    flag: "auto-tls",
    absent: "false",
    accept: is("false"),
    remedy: "etcd: remove --auto-tls",
  }),
  flagsSetControl({
    number: "2.4",
    title: "etcd's servers talk to each other over TLS",
    daemon,
    flags: ["peer-cert-file", "peer-key-file"],
    remedy: "etcd --peer-cert-file=FILE --peer-key-file=FILE",
  }),
  flagControl({
    number: "2.5",
    title: "etcd's servers ask each other for certificates",
    daemon,
    flag: "peer-client-cert-auth",
    absent: "false",
    accept: is("true"),
    remedy: "etcd --peer-client-cert-auth",
  }),
  flagControl({
    number: "2.6",
    title: "etcd makes no certificates for its servers itself",
    daemon,
    flag: "peer-auto-tls",
    absent: "false",
    accept: is("false"),
    remedy: "etcd: remove --peer-auto-tls",
  }),
  {
    number: "2.7",
    title: "etcd trusts an authority of its own",
    remedy: "etcd --trusted-ca-file=FILE with another authority than that of --client-ca-file of orch-apiserver",
    judge({ daemons }) {
      const [etcd, server] = [daemons.etcd, daemons["orch-apiserver"]];
      if (etcd === undefined) return flagsUnseen(daemon);
      if (server === undefined) return flagsUnseen("orch-apiserver");
      const [own = "", clients = ""] = [etcd.flags.get("trusted-ca-file"), server.flags.get("client-ca-file")];
      return judged(
        isSet(own) && own !== clients,
        `etcd trusts ${own || "no authority"}, the API server ${clients || "none"}`,
        `${etcd.source} and ${server.source}`,
      );
    },
  },
];

/** Section 2: etcd. */
export const etcd: readonly Control[] = controls.map(withServer);
