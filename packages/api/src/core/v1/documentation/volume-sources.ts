import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { fsType, readOnly } from "./phrases.ts";
import { fields, sources } from "./volume-drivers.ts";

const mode =
  "Permission bits of the file, 0 to 0777 in octal or 0 to 511 in decimal; JSON only knows decimal. defaultMode of the volume if left out. fsGroup may add bits.";
const defaultMode =
  "Permission bits of files that do not set their own, 0 to 0777 in octal or 0 to 511 in decimal; JSON only knows decimal. Default 0644. fsGroup may add bits.";
const configMapName = "Name of the config map, in the pod's namespace.";
const configMapItems =
  "Which values become files, and where. If empty, every value becomes a file named after its key. Naming a key that is not there is an error, unless optional is true.";
const configMapOptional =
  "Whether the config map, or a key in items, may be missing. Default false: the pod then waits.";
const secretItems = configMapItems;
const secretOptional = "Whether the secret, or a key in items, may be missing. Default false: the pod then waits.";

const podSources = {
  ...sources,
  emptyDir:
    "An empty directory that comes with the pod and goes with it. Containers of the pod share it, and it outlives their restarts.",
  gitRepo:
    "A checkout of a Git repository. Deprecated and not mounted by the orchlet: clone into an emptyDir in an init container.",
  secret: "Values of a secret as files, kept up to date while the pod runs.",
  persistentVolumeClaim: "The volume that a claim of the pod's namespace is bound to.",
  downwardAPI: "Facts about the pod as files, kept up to date while it runs.",
  configMap: "Values of a config map as files, kept up to date while the pod runs.",
  projected: "Files from several secrets, config maps, facts about the pod and tokens, in one directory.",
  ephemeral:
    "A volume with a claim of its own, which is made for the pod and deleted with it. The claim is called POD-VOLUME; if a foreign claim has that name, the pod does not start. The orchlet does not mount this kind; use persistentVolumeClaim.",
};

/** Texts of the types in `types/volume-sources.ts`. */
export const documentation: TypeDocumentation = {
  Volume: {
    "": "A directory or device that containers of a pod can mount by its name. Besides the name exactly one source is set; with none, it is an emptyDir. The orchlet mounts emptyDir, hostPath, configMap, secret, downwardAPI, projected, and claims bound to hostPath or local volumes.",
    name: "Name of the volume, unique within the pod: lower-case letters, digits and '-', at most 63 characters.",
    ...podSources,
  },
  VolumeSource: {
    "": "Where a volume's content comes from. Exactly one field is set.",
    ...podSources,
  },
  PersistentVolumeClaimVolumeSource: {
    "": "Uses the volume that a claim is bound to.",
    claimName: "Name of the claim, in the pod's namespace.",
    readOnly: "Mounts it read-only in all containers if true. Default false.",
  },
  HostPathVolumeSource: {
    "": "A file or directory of the node.",
    path: "Absolute path on the node, without '..'. A symbolic link is followed.",
    type: "What is expected at the path: Directory, File, Socket, CharDevice or BlockDevice must be there; DirectoryOrCreate and FileOrCreate are made if missing. Empty, the default, checks nothing.",
  },
  EmptyDirVolumeSource: {
    "": "An empty directory that lives as long as the pod does on its node.",
    medium:
      "What holds the content: the node's disk if empty (the default), memory with Memory, huge pages with HugePages or HugePages-SIZE. Memory counts against the containers' memory limits.",
    sizeLimit:
      "Most that the directory may hold. With the medium Memory it is the size of the file system. No limit if absent.",
  },
  GlusterfsVolumeSource: { "": "A Gluster volume, mounted into a pod. Deprecated.", ...fields.glusterfs },
  RBDVolumeSource: { "": "A RADOS block device of Ceph, mounted into a pod.", ...fields.rbd },
  CinderVolumeSource: { "": "A volume of OpenStack Cinder, in the region of the node. Deprecated.", ...fields.cinder },
  CephFSVolumeSource: { "": "A file system of Ceph, mounted into a pod.", ...fields.cephfs },
  FlockerVolumeSource: {
    "": "A Flocker dataset. One of the two fields is set. Deprecated.",
    datasetName: "Name of the dataset, as stored in its metadata. Deprecated in favour of datasetUUID.",
    datasetUUID: "UUID of the dataset.",
  },
  GCEPersistentDiskVolumeSource: {
    "": "A persistent disk of Google Compute Engine, in the node's project and zone. Several nodes can only share it read-only. Deprecated.",
    pdName: "Name of the disk.",
    ...fields.cloudDisk,
  },
  QuobyteVolumeSource: {
    "": "A Quobyte volume. Deprecated.",
    registry: "Quobyte registries, as HOST:PORT, separated by commas.",
    volume: "Name of a volume that exists.",
    readOnly,
    user: "User that the volume is accessed as. That of the registry's service account if left out.",
    group: "Group that the volume is accessed as. None if left out.",
    tenant: "Quobyte tenant that owns the volume. Set by provisioners.",
  },
  FlexVolumeSource: { "": "A volume of a driver that is a script on the node. Deprecated.", ...fields.flexVolume },
  AWSElasticBlockStoreVolumeSource: {
    "": "An Elastic Block Store disk of Amazon Web Services, in the node's zone. Only one node at a time can use it. Deprecated.",
    volumeID: "Identifier of the disk.",
    ...fields.cloudDisk,
  },
  GitRepoVolumeSource: {
    "": "A checkout of a Git repository. Deprecated.",
    repository: "URL of the repository.",
    revision: "Commit to check out. The head of the default branch if left out.",
    directory: "Directory in the volume to clone into, without '..'. With '.' the volume itself is the repository.",
  },
  SecretVolumeSource: {
    "": "Values of a secret as files.",
    secretName: "Name of the secret, in the pod's namespace.",
    items: secretItems,
    defaultMode,
    optional: secretOptional,
  },
  SecretProjection: {
    "": "Values of a secret as files of a projected volume.",
    name: "Name of the secret, in the pod's namespace.",
    items: secretItems,
    optional: secretOptional,
  },
  NFSVolumeSource: {
    "": "A directory of an NFS server.",
    server: "Host name or address of the server.",
    path: "Path that the server exports.",
    readOnly,
  },
  ISCSIVolumeSource: {
    "": "A disk reached by iSCSI. Only one node at a time can write to it.",
    ...fields.iscsi,
  },
  FCVolumeSource: {
    "": "A disk reached by Fibre Channel. Either wwids, or targetWWNs together with lun, is set.",
    targetWWNs: "World wide names of the targets.",
    lun: "Number of the logical unit.",
    fsType,
    readOnly,
    wwids: "World wide identifiers of the disk.",
  },
  AzureFileVolumeSource: { "": "A share of Azure Files, mounted into a pod. Deprecated.", ...fields.azureFile },
  VsphereVirtualDiskVolumeSource: {
    "": "A virtual disk of vSphere. Deprecated.",
    volumePath: "Path of the disk's file, with its datastore.",
    fsType,
    storagePolicyName: "Name of the storage policy that the disk follows.",
    storagePolicyID: "Identifier of the storage policy in storagePolicyName.",
  },
  PhotonPersistentDiskVolumeSource: {
    "": "A persistent disk of Photon Controller. Deprecated.",
    pdID: "Identifier of the disk.",
    fsType,
  },
  AzureDiskVolumeSource: {
    "": "A data disk of Azure. Deprecated.",
    diskName: "Name of the disk in the storage account.",
    diskURI: "URI of the disk.",
    cachingMode: "Caching by the host: None, ReadOnly or ReadWrite. Default ReadWrite.",
    fsType,
    readOnly,
    kind: "Who keeps the disk: Shared (a storage account with other disks), Dedicated (a storage account of its own) or Managed (Azure itself). Default Shared.",
  },
  PortworxVolumeSource: {
    "": "A Portworx volume. Deprecated.",
    volumeID: "Identifier of the volume.",
    fsType: "File system that the volume is mounted with, ext4 or xfs. ext4 if left out.",
    readOnly,
  },
  ScaleIOVolumeSource: { "": "A ScaleIO volume, mounted into a pod. Deprecated.", ...fields.scaleIO },
  StorageOSVolumeSource: { "": "A StorageOS volume, mounted into a pod. Deprecated.", ...fields.storageos },
  ConfigMapVolumeSource: {
    "": "Values of a config map as files.",
    name: configMapName,
    items: configMapItems,
    defaultMode,
    optional: configMapOptional,
  },
  ConfigMapProjection: {
    "": "Values of a config map as files of a projected volume.",
    name: configMapName,
    items: configMapItems,
    optional: configMapOptional,
  },
  ServiceAccountTokenProjection: {
    "": "A token of the pod's service account as a file of a projected volume. It is bound to the pod and replaced in time.",
    audience: "Whom the token is for; others must refuse it. If left out, orch-apiserver itself.",
    expirationSeconds:
      "Seconds that the token is wanted to be valid, at least 600. The orchlet replaces it after 80 per cent of its life or after a day. Default 3600.",
    path: "Path of the file within the volume.",
  },
  ProjectedVolumeSource: {
    "": "Files from several sources in one directory.",
    sources: "The sources. Their files must not be in each other's way.",
    defaultMode,
  },
  VolumeProjection: {
    "": "One source of a projected volume. Exactly one field is set.",
    secret: "Values of a secret.",
    downwardAPI: "Facts about the pod.",
    configMap: "Values of a config map.",
    serviceAccountToken: "A token of the pod's service account.",
  },
  KeyToPath: {
    "": "Says which file a value becomes.",
    key: "Key of the value.",
    path: "Path of the file within the volume, relative and without '..'.",
    mode,
  },
  CSIVolumeSource: {
    "": "A volume that a CSI driver makes for a single pod.",
    driver: "Name of the driver, as registered in the cluster.",
    readOnly,
    fsType: "File system that the volume is mounted with. If left out, the driver decides.",
    volumeAttributes: "Properties of the volume, whose meaning the driver defines.",
    nodePublishSecretRef: "Secret of the pod's namespace that the driver gets for mounting and unmounting.",
  },
  EphemeralVolumeSource: {
    "": "A volume with a claim of its own that comes and goes with the pod.",
    volumeClaimTemplate: "The claim that is made for the pod. Required and immutable.",
  },
  DownwardAPIVolumeSource: {
    "": "Facts about the pod as files.",
    items: "The files to write, each with one fact.",
    defaultMode,
  },
  DownwardAPIVolumeFile: {
    "": "A file that holds a fact about the pod. One of fieldRef and resourceFieldRef is set.",
    path: "Path of the file within the volume, relative and without '..'.",
    fieldRef: "A field of the pod: labels, annotations (all, or one by its key), name, namespace or UID.",
    resourceFieldRef: "A request or limit of one of the containers. containerName is required.",
    mode,
  },
  DownwardAPIProjection: {
    "": "Facts about the pod as files of a projected volume.",
    items: "The files to write, each with one fact.",
  },
};
