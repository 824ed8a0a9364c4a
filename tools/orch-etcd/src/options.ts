import type { Options } from "yargs";

/** The options of all commands. Names and defaults are those of the API server's flags if it has the same. */
export const options = {
  "etcd-servers": {
    type: "string",
    default: "http://127.0.0.1:2379",
    describe: "Servers of one etcd, comma-separated URLs.",
  },
  "etcd-cafile": { type: "string", describe: "Authorities of etcd's certificate, PEM." },
  "etcd-certfile": { type: "string", describe: "Client certificate for etcd, PEM." },
  "etcd-keyfile": { type: "string", describe: "Key of the client certificate, PEM." },
  "etcd-prefix": { type: "string", default: "/registry", describe: "Prefix of all keys in etcd." },
  "embedded-store-path": { type: "string", describe: "Directory of the embedded store." },
  timeout: { type: "number", default: 10, describe: "Seconds that a call to etcd may take." },
  output: { choices: ["table", "json"], default: "table", alias: "o", describe: "Format of the results." },
  to: { choices: ["etcd", "embedded"], demandOption: true, describe: "The store to write." },
  overwrite: { type: "boolean", default: false, describe: "Replace the content of the store to write." },
  "new-revisions": {
    type: "boolean",
    default: false,
    describe: "Give keys in etcd new revisions if they cannot keep theirs.",
  },
} as const satisfies Readonly<Record<string, Options>>;

export type OptionName = keyof typeof options;

/** The options for connections to etcd. */
export const etcdOptions: readonly OptionName[] = [
  "etcd-servers",
  "etcd-cafile",
  "etcd-certfile",
  "etcd-keyfile",
  "timeout",
];

/** The values of the options and operands of a command, as parsed by yargs. */
export interface Values {
  readonly etcdServers: string;
  readonly etcdCafile?: string;
  readonly etcdCertfile?: string;
  readonly etcdKeyfile?: string;
  readonly etcdPrefix: string;
  readonly embeddedStorePath?: string;
  readonly timeout: number;
  readonly output: "table" | "json";
  readonly to: "etcd" | "embedded";
  readonly overwrite: boolean;
  readonly newRevisions: boolean;
  readonly file: string;
  readonly revision?: number;
  readonly action: "list" | "disarm";
}
