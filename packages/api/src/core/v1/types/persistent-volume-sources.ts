import {
  bool,
  type Infer,
  int32,
  list,
  mapOf,
  message,
  optional,
  pointer,
  required,
  string,
} from "@orchernetes/apimachinery";
import { ObjectReference, SecretReference } from "./references.ts";
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  HostPathVolumeSource,
  NFSVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from "./volume-sources.ts";

const pkg = "core/v1";

/** What a persistent volume consists of. Exactly one field is set. */
export const PersistentVolumeSource = message(pkg, "PersistentVolumeSource", () => ({
  gcePersistentDisk: pointer(1, GCEPersistentDiskVolumeSource),
  awsElasticBlockStore: pointer(2, AWSElasticBlockStoreVolumeSource),
  hostPath: pointer(3, HostPathVolumeSource),
  glusterfs: pointer(4, GlusterfsPersistentVolumeSource),
  nfs: pointer(5, NFSVolumeSource),
  rbd: pointer(6, RBDPersistentVolumeSource),
  iscsi: pointer(7, ISCSIPersistentVolumeSource),
  cinder: pointer(8, CinderPersistentVolumeSource),
  cephfs: pointer(9, CephFSPersistentVolumeSource),
  fc: pointer(10, FCVolumeSource),
  flocker: pointer(11, FlockerVolumeSource),
  flexVolume: pointer(12, FlexPersistentVolumeSource),
  azureFile: pointer(13, AzureFilePersistentVolumeSource),
  vsphereVolume: pointer(14, VsphereVirtualDiskVolumeSource),
  quobyte: pointer(15, QuobyteVolumeSource),
  azureDisk: pointer(16, AzureDiskVolumeSource),
  photonPersistentDisk: pointer(17, PhotonPersistentDiskVolumeSource),
  portworxVolume: pointer(18, PortworxVolumeSource),
  scaleIO: pointer(19, ScaleIOPersistentVolumeSource),
  local: pointer(20, LocalVolumeSource),
  storageos: pointer(21, StorageOSPersistentVolumeSource),
  csi: pointer(22, CSIPersistentVolumeSource),
}));
export interface PersistentVolumeSource extends Infer<typeof PersistentVolumeSource> {}

/** A Gluster volume as a persistent volume. Deprecated. */
export const GlusterfsPersistentVolumeSource = message(pkg, "GlusterfsPersistentVolumeSource", () => ({
  endpoints: required(1, string),
  path: required(2, string),
  readOnly: optional(3, bool),
  endpointsNamespace: pointer(4, string),
}));
export interface GlusterfsPersistentVolumeSource extends Infer<typeof GlusterfsPersistentVolumeSource> {}

/** A RADOS block device of Ceph as a persistent volume. */
export const RBDPersistentVolumeSource = message(pkg, "RBDPersistentVolumeSource", () => ({
  monitors: required(1, list(string)),
  image: required(2, string),
  fsType: optional(3, string),
  pool: optional(4, string),
  user: optional(5, string),
  keyring: optional(6, string),
  secretRef: pointer(7, SecretReference),
  readOnly: optional(8, bool),
}));
export interface RBDPersistentVolumeSource extends Infer<typeof RBDPersistentVolumeSource> {}

/** A volume of OpenStack Cinder as a persistent volume. Deprecated. */
export const CinderPersistentVolumeSource = message(pkg, "CinderPersistentVolumeSource", () => ({
  volumeID: required(1, string),
  fsType: optional(2, string),
  readOnly: optional(3, bool),
  secretRef: pointer(4, SecretReference),
}));
export interface CinderPersistentVolumeSource extends Infer<typeof CinderPersistentVolumeSource> {}

/** A file system of Ceph as a persistent volume. */
export const CephFSPersistentVolumeSource = message(pkg, "CephFSPersistentVolumeSource", () => ({
  monitors: required(1, list(string)),
  path: optional(2, string),
  user: optional(3, string),
  secretFile: optional(4, string),
  secretRef: pointer(5, SecretReference),
  readOnly: optional(6, bool),
}));
export interface CephFSPersistentVolumeSource extends Infer<typeof CephFSPersistentVolumeSource> {}

/** A volume of a driver that is a script on the node, as a persistent volume. Deprecated. */
export const FlexPersistentVolumeSource = message(pkg, "FlexPersistentVolumeSource", () => ({
  driver: required(1, string),
  fsType: optional(2, string),
  secretRef: pointer(3, SecretReference),
  readOnly: optional(4, bool),
  options: optional(5, mapOf(string)),
}));
export interface FlexPersistentVolumeSource extends Infer<typeof FlexPersistentVolumeSource> {}

/** A disk reached by iSCSI as a persistent volume. Only one node at a time can write to it. */
export const ISCSIPersistentVolumeSource = message(pkg, "ISCSIPersistentVolumeSource", () => ({
  targetPortal: required(1, string),
  iqn: required(2, string),
  lun: required(3, int32),
  iscsiInterface: optional(4, string),
  fsType: optional(5, string),
  readOnly: optional(6, bool),
  portals: optional(7, list(string)),
  chapAuthDiscovery: optional(8, bool),
  chapAuthSession: optional(11, bool),
  secretRef: pointer(10, SecretReference),
  initiatorName: pointer(12, string),
}));
export interface ISCSIPersistentVolumeSource extends Infer<typeof ISCSIPersistentVolumeSource> {}

/** A share of Azure Files as a persistent volume. Deprecated. */
export const AzureFilePersistentVolumeSource = message(pkg, "AzureFilePersistentVolumeSource", () => ({
  secretName: required(1, string),
  shareName: required(2, string),
  readOnly: optional(3, bool),
  secretNamespace: pointer(4, string),
}));
export interface AzureFilePersistentVolumeSource extends Infer<typeof AzureFilePersistentVolumeSource> {}

/** A ScaleIO volume as a persistent volume. Deprecated. */
export const ScaleIOPersistentVolumeSource = message(pkg, "ScaleIOPersistentVolumeSource", () => ({
  gateway: required(1, string),
  system: required(2, string),
  secretRef: required(3, SecretReference, { pointer: true }),
  sslEnabled: optional(4, bool),
  protectionDomain: optional(5, string),
  storagePool: optional(6, string),
  storageMode: optional(7, string),
  volumeName: optional(8, string),
  fsType: optional(9, string),
  readOnly: optional(10, bool),
}));
export interface ScaleIOPersistentVolumeSource extends Infer<typeof ScaleIOPersistentVolumeSource> {}

/** A StorageOS volume as a persistent volume. Deprecated. */
export const StorageOSPersistentVolumeSource = message(pkg, "StorageOSPersistentVolumeSource", () => ({
  volumeName: optional(1, string),
  volumeNamespace: optional(2, string),
  fsType: optional(3, string),
  readOnly: optional(4, bool),
  secretRef: pointer(5, ObjectReference),
}));
export interface StorageOSPersistentVolumeSource extends Infer<typeof StorageOSPersistentVolumeSource> {}

/** A directory or disk of a node that is there already. */
export const LocalVolumeSource = message(pkg, "LocalVolumeSource", () => ({
  path: required(1, string),
  fsType: pointer(2, string),
}));
export interface LocalVolumeSource extends Infer<typeof LocalVolumeSource> {}

/** A volume of a CSI driver. */
export const CSIPersistentVolumeSource = message(pkg, "CSIPersistentVolumeSource", () => ({
  driver: required(1, string),
  volumeHandle: required(2, string),
  readOnly: optional(3, bool),
  fsType: optional(4, string),
  volumeAttributes: optional(5, mapOf(string)),
  controllerPublishSecretRef: pointer(6, SecretReference),
  nodeStageSecretRef: pointer(7, SecretReference),
  nodePublishSecretRef: pointer(8, SecretReference),
  controllerExpandSecretRef: pointer(9, SecretReference),
  nodeExpandSecretRef: pointer(10, SecretReference, { gate: "CSINodeExpandSecret" }),
}));
export interface CSIPersistentVolumeSource extends Infer<typeof CSIPersistentVolumeSource> {}
