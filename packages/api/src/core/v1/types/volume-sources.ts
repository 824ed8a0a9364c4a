import {
  bool,
  embed,
  enumeration,
  type Infer,
  int32,
  int64,
  list,
  mapOf,
  message,
  openEnumeration,
  optional,
  pointer,
  quantity,
  required,
  string,
} from "@orchernetes/apimachinery";
import { ObjectFieldSelector, ResourceFieldSelector } from "./environment.ts";
import { PersistentVolumeClaimTemplate } from "./persistent-volume-claim.ts";
import { LocalObjectReference } from "./references.ts";

const pkg = "core/v1";

/**
 * A directory or device that containers of a pod can mount by its name. Besides the name exactly one source is set; with none,
 * it is an emptyDir. The orchlet mounts emptyDir, hostPath, configMap, secret, downwardAPI, projected, and claims bound to
 * hostPath or local volumes.
 */
export const Volume = message(pkg, "Volume", () => ({
  name: required(1, string),
  ...embed(2, "volumeSource", VolumeSource),
}));
export interface Volume extends Infer<typeof Volume> {}

/** Where a volume's content comes from. Exactly one field is set. */
export const VolumeSource = message(pkg, "VolumeSource", () => ({
  hostPath: pointer(1, HostPathVolumeSource),
  emptyDir: pointer(2, EmptyDirVolumeSource),
  gcePersistentDisk: pointer(3, GCEPersistentDiskVolumeSource),
  awsElasticBlockStore: pointer(4, AWSElasticBlockStoreVolumeSource),
  gitRepo: pointer(5, GitRepoVolumeSource, { deprecated: true }),
  secret: pointer(6, SecretVolumeSource),
  nfs: pointer(7, NFSVolumeSource),
  iscsi: pointer(8, ISCSIVolumeSource),
  glusterfs: pointer(9, GlusterfsVolumeSource),
  persistentVolumeClaim: pointer(10, PersistentVolumeClaimVolumeSource),
  rbd: pointer(11, RBDVolumeSource),
  flexVolume: pointer(12, FlexVolumeSource),
  cinder: pointer(13, CinderVolumeSource),
  cephfs: pointer(14, CephFSVolumeSource),
  flocker: pointer(15, FlockerVolumeSource),
  downwardAPI: pointer(16, DownwardAPIVolumeSource),
  fc: pointer(17, FCVolumeSource),
  azureFile: pointer(18, AzureFileVolumeSource),
  configMap: pointer(19, ConfigMapVolumeSource),
  vsphereVolume: pointer(20, VsphereVirtualDiskVolumeSource),
  quobyte: pointer(21, QuobyteVolumeSource),
  azureDisk: pointer(22, AzureDiskVolumeSource),
  photonPersistentDisk: pointer(23, PhotonPersistentDiskVolumeSource),
  projected: pointer(26, ProjectedVolumeSource),
  portworxVolume: pointer(24, PortworxVolumeSource),
  scaleIO: pointer(25, ScaleIOVolumeSource),
  storageos: pointer(27, StorageOSVolumeSource),
  csi: pointer(28, CSIVolumeSource),
  ephemeral: pointer(29, EphemeralVolumeSource),
}));
export interface VolumeSource extends Infer<typeof VolumeSource> {}

/** The volume to which a claim of the same namespace is bound. */
export const PersistentVolumeClaimVolumeSource = message(pkg, "PersistentVolumeClaimVolumeSource", () => ({
  claimName: required(1, string),
  readOnly: optional(2, bool),
}));
export interface PersistentVolumeClaimVolumeSource extends Infer<typeof PersistentVolumeClaimVolumeSource> {}

/** A file or directory of the node. */
export const HostPathVolumeSource = message(pkg, "HostPathVolumeSource", () => ({
  path: required(1, string),
  type: pointer(
    2,
    enumeration("", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"),
  ),
}));
export interface HostPathVolumeSource extends Infer<typeof HostPathVolumeSource> {}

/** An empty directory that lives as long as the pod does on its node. */
export const EmptyDirVolumeSource = message(pkg, "EmptyDirVolumeSource", () => ({
  medium: optional(1, openEnumeration("", "Memory", "HugePages", "HugePages-")),
  sizeLimit: pointer(2, quantity),
}));
export interface EmptyDirVolumeSource extends Infer<typeof EmptyDirVolumeSource> {}

/** A Gluster volume, mounted into a pod. Deprecated. */
export const GlusterfsVolumeSource = message(pkg, "GlusterfsVolumeSource", () => ({
  endpoints: required(1, string),
  path: required(2, string),
  readOnly: optional(3, bool),
}));
export interface GlusterfsVolumeSource extends Infer<typeof GlusterfsVolumeSource> {}

/** A RADOS block device of Ceph, mounted into a pod. */
export const RBDVolumeSource = message(pkg, "RBDVolumeSource", () => ({
  monitors: required(1, list(string)),
  image: required(2, string),
  fsType: optional(3, string),
  pool: optional(4, string),
  user: optional(5, string),
  keyring: optional(6, string),
  secretRef: pointer(7, LocalObjectReference),
  readOnly: optional(8, bool),
}));
export interface RBDVolumeSource extends Infer<typeof RBDVolumeSource> {}

/** A volume of OpenStack Cinder, in the region of the node. Deprecated. */
export const CinderVolumeSource = message(pkg, "CinderVolumeSource", () => ({
  volumeID: required(1, string),
  fsType: optional(2, string),
  readOnly: optional(3, bool),
  secretRef: pointer(4, LocalObjectReference),
}));
export interface CinderVolumeSource extends Infer<typeof CinderVolumeSource> {}

/** A file system of Ceph, mounted into a pod. */
export const CephFSVolumeSource = message(pkg, "CephFSVolumeSource", () => ({
  monitors: required(1, list(string)),
  path: optional(2, string),
  user: optional(3, string),
  secretFile: optional(4, string),
  secretRef: pointer(5, LocalObjectReference),
  readOnly: optional(6, bool),
}));
export interface CephFSVolumeSource extends Infer<typeof CephFSVolumeSource> {}

/** A Flocker dataset. One of the two fields is set. Deprecated. */
export const FlockerVolumeSource = message(pkg, "FlockerVolumeSource", () => ({
  datasetName: optional(1, string),
  datasetUUID: optional(2, string),
}));
export interface FlockerVolumeSource extends Infer<typeof FlockerVolumeSource> {}

/**
 * A persistent disk of Google Compute Engine, in the node's project and zone. Several nodes can only share it read-only.
 * Deprecated.
 */
export const GCEPersistentDiskVolumeSource = message(pkg, "GCEPersistentDiskVolumeSource", () => ({
  pdName: required(1, string),
  fsType: optional(2, string),
  partition: optional(3, int32),
  readOnly: optional(4, bool),
}));
export interface GCEPersistentDiskVolumeSource extends Infer<typeof GCEPersistentDiskVolumeSource> {}

/** A Quobyte volume. Deprecated. */
export const QuobyteVolumeSource = message(pkg, "QuobyteVolumeSource", () => ({
  registry: required(1, string),
  volume: required(2, string),
  readOnly: optional(3, bool),
  user: optional(4, string),
  group: optional(5, string),
  tenant: optional(6, string),
}));
export interface QuobyteVolumeSource extends Infer<typeof QuobyteVolumeSource> {}

/** A volume of a driver that is a script on the node. Deprecated. */
export const FlexVolumeSource = message(pkg, "FlexVolumeSource", () => ({
  driver: required(1, string),
  fsType: optional(2, string),
  secretRef: pointer(3, LocalObjectReference),
  readOnly: optional(4, bool),
  options: optional(5, mapOf(string)),
}));
export interface FlexVolumeSource extends Infer<typeof FlexVolumeSource> {}

/**
 * An Elastic Block Store disk of Amazon Web Services, in the node's zone. Only one node at a time can use it. Deprecated.
 */
export const AWSElasticBlockStoreVolumeSource = message(pkg, "AWSElasticBlockStoreVolumeSource", () => ({
  volumeID: required(1, string),
  fsType: optional(2, string),
  partition: optional(3, int32),
  readOnly: optional(4, bool),
}));
export interface AWSElasticBlockStoreVolumeSource extends Infer<typeof AWSElasticBlockStoreVolumeSource> {}

/** A checkout of a Git repository. Deprecated. */
export const GitRepoVolumeSource = message(pkg, "GitRepoVolumeSource", () => ({
  repository: required(1, string),
  revision: optional(2, string),
  directory: optional(3, string),
}));
export interface GitRepoVolumeSource extends Infer<typeof GitRepoVolumeSource> {}

/** Values of a secret as files. */
export const SecretVolumeSource = message(pkg, "SecretVolumeSource", () => ({
  secretName: optional(1, string),
  items: optional(2, list(KeyToPath)),
  defaultMode: pointer(3, int32),
  optional: pointer(4, bool),
}));
export interface SecretVolumeSource extends Infer<typeof SecretVolumeSource> {}

/** Values of a secret as files of a projected volume. */
export const SecretProjection = message(pkg, "SecretProjection", () => ({
  ...embed(1, "localObjectReference", LocalObjectReference),
  items: optional(2, list(KeyToPath)),
  optional: pointer(4, bool),
}));
export interface SecretProjection extends Infer<typeof SecretProjection> {}

/** A directory of an NFS server. */
export const NFSVolumeSource = message(pkg, "NFSVolumeSource", () => ({
  server: required(1, string),
  path: required(2, string),
  readOnly: optional(3, bool),
}));
export interface NFSVolumeSource extends Infer<typeof NFSVolumeSource> {}

/** A disk reached by iSCSI. Only one node at a time can write to it. */
export const ISCSIVolumeSource = message(pkg, "ISCSIVolumeSource", () => ({
  targetPortal: required(1, string),
  iqn: required(2, string),
  lun: required(3, int32),
  iscsiInterface: optional(4, string),
  fsType: optional(5, string),
  readOnly: optional(6, bool),
  portals: optional(7, list(string)),
  chapAuthDiscovery: optional(8, bool),
  chapAuthSession: optional(11, bool),
  secretRef: pointer(10, LocalObjectReference),
  initiatorName: pointer(12, string),
}));
export interface ISCSIVolumeSource extends Infer<typeof ISCSIVolumeSource> {}

/** A disk reached by Fibre Channel. Either wwids, or targetWWNs together with lun, is set. */
export const FCVolumeSource = message(pkg, "FCVolumeSource", () => ({
  targetWWNs: optional(1, list(string)),
  lun: pointer(2, int32),
  fsType: optional(3, string),
  readOnly: optional(4, bool),
  wwids: optional(5, list(string)),
}));
export interface FCVolumeSource extends Infer<typeof FCVolumeSource> {}

/** A share of Azure Files, mounted into a pod. Deprecated. */
export const AzureFileVolumeSource = message(pkg, "AzureFileVolumeSource", () => ({
  secretName: required(1, string),
  shareName: required(2, string),
  readOnly: optional(3, bool),
}));
export interface AzureFileVolumeSource extends Infer<typeof AzureFileVolumeSource> {}

/** A virtual disk of vSphere. Deprecated. */
export const VsphereVirtualDiskVolumeSource = message(pkg, "VsphereVirtualDiskVolumeSource", () => ({
  volumePath: required(1, string),
  fsType: optional(2, string),
  storagePolicyName: optional(3, string),
  storagePolicyID: optional(4, string),
}));
export interface VsphereVirtualDiskVolumeSource extends Infer<typeof VsphereVirtualDiskVolumeSource> {}

/** A persistent disk of Photon Controller. Deprecated. */
export const PhotonPersistentDiskVolumeSource = message(pkg, "PhotonPersistentDiskVolumeSource", () => ({
  pdID: required(1, string),
  fsType: optional(2, string),
}));
export interface PhotonPersistentDiskVolumeSource extends Infer<typeof PhotonPersistentDiskVolumeSource> {}

/** A data disk of Azure. Deprecated. */
export const AzureDiskVolumeSource = message(pkg, "AzureDiskVolumeSource", () => ({
  diskName: required(1, string),
  diskURI: required(2, string),
  cachingMode: pointer(3, enumeration("None", "ReadOnly", "ReadWrite")),
  fsType: pointer(4, string),
  readOnly: pointer(5, bool),
  kind: pointer(6, enumeration("Shared", "Dedicated", "Managed")),
}));
export interface AzureDiskVolumeSource extends Infer<typeof AzureDiskVolumeSource> {}

/** A Portworx volume. Deprecated. */
export const PortworxVolumeSource = message(pkg, "PortworxVolumeSource", () => ({
  volumeID: required(1, string),
  fsType: optional(2, string),
  readOnly: optional(3, bool),
}));
export interface PortworxVolumeSource extends Infer<typeof PortworxVolumeSource> {}

/** A ScaleIO volume, mounted into a pod. Deprecated. */
export const ScaleIOVolumeSource = message(pkg, "ScaleIOVolumeSource", () => ({
  gateway: required(1, string),
  system: required(2, string),
  secretRef: required(3, LocalObjectReference, { pointer: true }),
  sslEnabled: optional(4, bool),
  protectionDomain: optional(5, string),
  storagePool: optional(6, string),
  storageMode: optional(7, string),
  volumeName: optional(8, string),
  fsType: optional(9, string),
  readOnly: optional(10, bool),
}));
export interface ScaleIOVolumeSource extends Infer<typeof ScaleIOVolumeSource> {}

/** A StorageOS volume, mounted into a pod. Deprecated. */
export const StorageOSVolumeSource = message(pkg, "StorageOSVolumeSource", () => ({
  volumeName: optional(1, string),
  volumeNamespace: optional(2, string),
  fsType: optional(3, string),
  readOnly: optional(4, bool),
  secretRef: pointer(5, LocalObjectReference),
}));
export interface StorageOSVolumeSource extends Infer<typeof StorageOSVolumeSource> {}

/** Values of a config map as files. */
export const ConfigMapVolumeSource = message(pkg, "ConfigMapVolumeSource", () => ({
  ...embed(1, "localObjectReference", LocalObjectReference),
  items: optional(2, list(KeyToPath)),
  defaultMode: pointer(3, int32),
  optional: pointer(4, bool),
}));
export interface ConfigMapVolumeSource extends Infer<typeof ConfigMapVolumeSource> {}

/** Values of a config map as files of a projected volume. */
export const ConfigMapProjection = message(pkg, "ConfigMapProjection", () => ({
  ...embed(1, "localObjectReference", LocalObjectReference),
  items: optional(2, list(KeyToPath)),
  optional: pointer(4, bool),
}));
export interface ConfigMapProjection extends Infer<typeof ConfigMapProjection> {}

/**
 * A token of the pod's service account as a file. It is bound to the pod and renewed before it expires. Source: KEP-1205.
 */
export const ServiceAccountTokenProjection = message(pkg, "ServiceAccountTokenProjection", () => ({
  audience: optional(1, string),
  expirationSeconds: pointer(2, int64),
  path: required(3, string),
}));
export interface ServiceAccountTokenProjection extends Infer<typeof ServiceAccountTokenProjection> {}

/** Files from several sources in one directory. */
export const ProjectedVolumeSource = message(pkg, "ProjectedVolumeSource", () => ({
  sources: pointer(1, list(VolumeProjection)),
  defaultMode: pointer(2, int32),
}));
export interface ProjectedVolumeSource extends Infer<typeof ProjectedVolumeSource> {}

/** One source of a projected volume. Exactly one field is set. */
export const VolumeProjection = message(pkg, "VolumeProjection", () => ({
  secret: pointer(1, SecretProjection),
  downwardAPI: pointer(2, DownwardAPIProjection),
  configMap: pointer(3, ConfigMapProjection),
  serviceAccountToken: pointer(4, ServiceAccountTokenProjection),
}));
export interface VolumeProjection extends Infer<typeof VolumeProjection> {}

/** Says which file a value becomes. */
export const KeyToPath = message(pkg, "KeyToPath", () => ({
  key: required(1, string),
  path: required(2, string),
  mode: pointer(3, int32),
}));
export interface KeyToPath extends Infer<typeof KeyToPath> {}

/** A volume that a CSI driver makes for a single pod. */
export const CSIVolumeSource = message(pkg, "CSIVolumeSource", () => ({
  driver: required(1, string),
  readOnly: pointer(2, bool),
  fsType: pointer(3, string),
  volumeAttributes: optional(4, mapOf(string)),
  nodePublishSecretRef: pointer(5, LocalObjectReference),
}));
export interface CSIVolumeSource extends Infer<typeof CSIVolumeSource> {}

/** A volume with a claim of its own, which is created and deleted with the pod. Source: KEP-1698. */
export const EphemeralVolumeSource = message(pkg, "EphemeralVolumeSource", () => ({
  volumeClaimTemplate: pointer(1, PersistentVolumeClaimTemplate),
}));
export interface EphemeralVolumeSource extends Infer<typeof EphemeralVolumeSource> {}

/** Facts about the pod as files. */
export const DownwardAPIVolumeSource = message(pkg, "DownwardAPIVolumeSource", () => ({
  items: optional(1, list(DownwardAPIVolumeFile)),
  defaultMode: pointer(2, int32),
}));
export interface DownwardAPIVolumeSource extends Infer<typeof DownwardAPIVolumeSource> {}

/** A file that holds a fact about the pod. One of fieldRef and resourceFieldRef is set. */
export const DownwardAPIVolumeFile = message(pkg, "DownwardAPIVolumeFile", () => ({
  path: required(1, string),
  fieldRef: pointer(2, ObjectFieldSelector),
  resourceFieldRef: pointer(3, ResourceFieldSelector),
  mode: pointer(4, int32),
}));
export interface DownwardAPIVolumeFile extends Infer<typeof DownwardAPIVolumeFile> {}

/** Facts about the pod as files of a projected volume. */
export const DownwardAPIProjection = message(pkg, "DownwardAPIProjection", () => ({
  items: optional(1, list(DownwardAPIVolumeFile)),
}));
export interface DownwardAPIProjection extends Infer<typeof DownwardAPIProjection> {}
