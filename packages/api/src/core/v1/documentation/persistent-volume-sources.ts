import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { readOnly } from "./phrases.ts";
import { fields, sources } from "./volume-drivers.ts";

/** Also fields of PersistentVolumeSpec, which has the source flattened into it. */
export const persistentVolumeSources = {
  ...sources,
  local:
    "A directory or disk of one node, mounted there already. Needs nodeAffinity, so that pods are placed on that node.",
};

/** Texts of the types in `types/persistent-volume-sources.ts`. */
export const documentation: TypeDocumentation = {
  PersistentVolumeSource: {
    "": "What a persistent volume consists of. Exactly one field is set.",
    ...persistentVolumeSources,
  },
  GlusterfsPersistentVolumeSource: {
    "": "A Gluster volume as a persistent volume. Deprecated.",
    ...fields.glusterfs,
    endpointsNamespace: "Namespace of the Endpoints object. That of the bound claim if left out.",
  },
  RBDPersistentVolumeSource: {
    "": "A RADOS block device of Ceph as a persistent volume.",
    ...fields.rbd,
  },
  CinderPersistentVolumeSource: {
    "": "A volume of OpenStack Cinder as a persistent volume. Deprecated.",
    ...fields.cinder,
  },
  CephFSPersistentVolumeSource: {
    "": "A file system of Ceph as a persistent volume.",
    ...fields.cephfs,
  },
  FlexPersistentVolumeSource: {
    "": "A volume of a driver that is a script on the node, as a persistent volume. Deprecated.",
    ...fields.flexVolume,
  },
  ISCSIPersistentVolumeSource: {
    "": "A disk reached by iSCSI as a persistent volume. Only one node at a time can write to it.",
    ...fields.iscsi,
  },
  AzureFilePersistentVolumeSource: {
    "": "A share of Azure Files as a persistent volume. Deprecated.",
    ...fields.azureFile,
    secretNamespace: "Namespace of the secret. That of the bound claim if left out.",
  },
  ScaleIOPersistentVolumeSource: {
    "": "A ScaleIO volume as a persistent volume. Deprecated.",
    ...fields.scaleIO,
  },
  StorageOSPersistentVolumeSource: {
    "": "A StorageOS volume as a persistent volume. Deprecated.",
    ...fields.storageos,
  },
  LocalVolumeSource: {
    "": "A directory or disk of a node that is there already.",
    path: "Absolute path on the node of a directory, or of a block device.",
    fsType:
      "File system that a block device is mounted with, such as ext4. Only for block devices; guessed from the device if absent.",
  },
  CSIPersistentVolumeSource: {
    "": "A volume of a CSI driver.",
    driver: "Name of the driver, as registered in the cluster. Required.",
    volumeHandle: "Name by which the driver knows the volume, from when it was made. Required.",
    readOnly,
    fsType: "File system that the volume is mounted with. If left out, the driver decides.",
    volumeAttributes: "Properties of the volume, from when it was made, for the driver.",
    controllerPublishSecretRef: "Secret that the driver gets for attaching the volume to a node and detaching it.",
    nodeStageSecretRef: "Secret that the driver gets for preparing the volume on a node.",
    nodePublishSecretRef: "Secret that the driver gets for mounting the volume for a pod.",
    controllerExpandSecretRef: "Secret that the driver gets for making the volume larger in the storage system.",
    nodeExpandSecretRef:
      "Secret that the driver gets for making the volume larger on a node. Needs the feature gate CSINodeExpandSecret, which is on by default.",
  },
};
