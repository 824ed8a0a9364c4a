import type { Control } from "../../control.ts";
import { modeControl, ownerControl } from "../shared/file-control.ts";

const noConfig = (daemon: string): string =>
  `${daemon} is a process of its host without a pod specification, and its flags name no configuration file on this host`;
const noClient = (daemon: string): string => `no flag of ${daemon} that can be seen names a client configuration`;
const noEtcdConfig =
  "no etcd with a configuration file is seen: it has flags only, the store is embedded, or on another host";
const noStore = "no store's folder can be seen: its processes run on another host";
const noCni = "the nodes have no network plugin: their pods share the host's network, or run on other hosts";
const noPki = "no certificates can be seen: they are on other hosts";

/** Section 1.1: files of the control plane. A pod specification stands for all files that configure a daemon. */
export const controlPlaneFiles: readonly Control[] = [
  modeControl({
    number: "1.1.1",
    title: "Files that configure the API server are closed to others",
    role: "apiserver-config",
    without: noConfig("orch-apiserver"),
    atMost: 0o600,
  }),
  ownerControl({
    number: "1.1.2",
    title: "Files that configure the API server belong to root",
    role: "apiserver-config",
    without: noConfig("orch-apiserver"),
  }),
  modeControl({
    number: "1.1.3",
    title: "Files that configure the controller manager are closed to others",
    role: "manager-config",
    without: noConfig("orch-controller-manager"),
    atMost: 0o600,
  }),
  ownerControl({
    number: "1.1.4",
    title: "Files that configure the controller manager belong to root",
    role: "manager-config",
    without: noConfig("orch-controller-manager"),
  }),
  modeControl({
    number: "1.1.5",
    title: "Files that configure the scheduler are closed to others",
    role: "scheduler-config",
    without: noConfig("orch-scheduler"),
    atMost: 0o600,
  }),
  ownerControl({
    number: "1.1.6",
    title: "Files that configure the scheduler belong to root",
    role: "scheduler-config",
    without: noConfig("orch-scheduler"),
  }),
  modeControl({
    number: "1.1.7",
    title: "The file that configures etcd is closed to others",
    role: "etcd-config",
    without: noEtcdConfig,
    atMost: 0o600,
  }),
  ownerControl({
    number: "1.1.8",
    title: "The file that configures etcd belongs to root",
    role: "etcd-config",
    without: noEtcdConfig,
  }),
  modeControl({
    number: "1.1.9",
    title: "Files of the network plugin are closed to others",
    role: "cni",
    without: noCni,
    atMost: 0o600,
    severity: "warn",
  }),
  ownerControl({
    number: "1.1.10",
    title: "Files of the network plugin belong to root",
    role: "cni",
    without: noCni,
    severity: "warn",
  }),
  modeControl({
    number: "1.1.11",
    title: "The store's data folder is closed to others",
    role: "store",
    without: noStore,
    atMost: 0o700,
  }),
  ownerControl({
    number: "1.1.12",
    title: "The store's data folder belongs to the user that the store runs as",
    role: "store",
    without: noStore,
  }),
  modeControl({
    number: "1.1.13",
    title: "The administrator's client configuration is closed to others",
    role: "admin-client",
    without: "there is no client configuration",
    atMost: 0o600,
  }),
  ownerControl({
    number: "1.1.14",
    title: "The administrator's client configuration belongs to root",
    role: "admin-client",
    without: "there is no client configuration",
  }),
  modeControl({
    number: "1.1.15",
    title: "The scheduler's client configuration is closed to others",
    role: "scheduler-client",
    without: noClient("orch-scheduler"),
    atMost: 0o600,
  }),
  ownerControl({
    number: "1.1.16",
    title: "The scheduler's client configuration belongs to root",
    role: "scheduler-client",
    without: noClient("orch-scheduler"),
  }),
  modeControl({
    number: "1.1.17",
    title: "The controller manager's client configuration is closed to others",
    role: "manager-client",
    without: noClient("orch-controller-manager"),
    atMost: 0o600,
  }),
  ownerControl({
    number: "1.1.18",
    title: "The controller manager's client configuration belongs to root",
    role: "manager-client",
    without: noClient("orch-controller-manager"),
  }),
  ownerControl({
    number: "1.1.19",
    title: "Certificates, keys and their folder belong to root",
    role: "pki-folder",
    without: noPki,
  }),
  modeControl({
    number: "1.1.20",
    title: "Certificates are closed to others",
    role: "certificates",
    without: noPki,
    atMost: 0o600,
    severity: "warn",
  }),
  modeControl({
    number: "1.1.21",
    title: "Private keys are closed to others",
    role: "keys",
    without: noPki,
    atMost: 0o600,
  }),
];
