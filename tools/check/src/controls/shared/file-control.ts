import { type Control, judged, notApplicable, unknown } from "../../control.ts";
import type { DaemonName, Evidence, FileFact, FileRole } from "../../evidence/evidence.ts";

type Texts = Pick<Control, "number" | "formerNumber" | "title" | "severity">;

interface FileTexts extends Texts {
  readonly role: FileRole;
  /** Why there may be none: the reason that the control is not applicable then. */
  readonly without: string;
}

/**
 * The process whose command line names the files; "node" for that of a node's agent. The administrator's own file needs none. Without the
 * command line the files are unknown, which is not the same as absent.
 */
const NAMED_BY: Readonly<Record<FileRole, DaemonName | "node" | undefined>> = {
  "apiserver-config": "orch-apiserver",
  "manager-config": "orch-controller-manager",
  "scheduler-config": "orch-scheduler",
  "etcd-config": "orch-apiserver",
  cni: "node",
  store: "orch-apiserver",
  "admin-client": undefined,
  "manager-client": "orch-controller-manager",
  "scheduler-client": "orch-scheduler",
  "pki-folder": "orch-apiserver",
  certificates: "orch-apiserver",
  keys: "orch-apiserver",
  "proxy-client": "node",
  "agent-service": "node",
  "agent-client": "node",
  "agent-authorities": "node",
  "agent-config": "node",
};

/** Whether files of a role would be found if there were some. */
function areVisible({ daemons, nodes }: Evidence, role: FileRole): boolean {
  const by = NAMED_BY[role];
  if (by === undefined) return true;
  return by === "node" ? nodes.some(({ flags }) => flags !== undefined) : daemons[by] !== undefined;
}

/** A mode as `chmod` takes it. */
const octal = (mode: number): string => mode.toString(8).padStart(3, "0");

/** More files are counted, not named. */
const MAX_NAMED = 5;
const named = (files: readonly string[]): string =>
  files.length <= MAX_NAMED
    ? files.join(", ")
    : `${files.slice(0, MAX_NAMED).join(", ")} and ${files.length - MAX_NAMED} more`;

/** Judges all files of a role together: one bad file violates the control, and only bad files are named then. */
function judgeFiles(
  evidence: Evidence,
  { role, without }: Pick<FileTexts, "role" | "without">,
  isGood: (file: FileFact) => boolean,
  show: (file: FileFact) => string,
): ReturnType<Control["judge"]> {
  const files = evidence.files[role] ?? [];
  if (files.length === 0 && !areVisible(evidence, role))
    return unknown(
      "the file system of the daemon's host cannot be seen; want --data, or --process NAME=PID on that host",
    );
  if (files.length === 0) return notApplicable(without);
  const bad = files.filter((file) => !isGood(file));
  return judged(bad.length === 0, named((bad.length === 0 ? files : bad).map(show)), "file system of this host");
}

/** A control about the mode of files. @param atMost permissions that they may have */
export function modeControl({ role, without, atMost, ...texts }: FileTexts & { readonly atMost: number }): Control {
  return {
    ...texts,
    remedy: `chmod ${octal(atMost)} FILE`,
    judge: (evidence) =>
      judgeFiles(
        evidence,
        { role, without },
        ({ mode }) => (mode & 0o777 & ~atMost) === 0,
        ({ path, mode }) => `${path} has mode ${octal(mode & 0o777)}`,
      ),
  };
}

/** A control about the owner of files: root, or the user that the daemons run as. */
export function ownerControl({ role, without, ...texts }: FileTexts): Control {
  return {
    ...texts,
    remedy: "chown root:root FILE, or the user that the daemon runs as",
    judge(evidence) {
      const owners = new Set([0, ...Object.values(evidence.daemons).map(({ uid }) => uid)]);
      return judgeFiles(
        evidence,
        { role, without },
        ({ uid }) => owners.has(uid),
        ({ path, uid }) => `${path} belongs to user ${uid}`,
      );
    },
  };
}
