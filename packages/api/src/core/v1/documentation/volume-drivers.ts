import { fsType, readOnly } from "./phrases.ts";

/** Says what happens to kinds of volumes that the node agent has no driver for. */
const notMounted = "The orchlet has no driver for this kind: pods that use it do not start.";

const partition = "Number of the partition to mount; 0, the default, mounts the disk as a whole.";

/** Fields that a kind of volume has both inside of pods and in persistent volumes. */
export const fields = {
  glusterfs: {
    endpoints: "Name of the Endpoints object that lists the Gluster servers.",
    path: "Path of the Gluster volume.",
    readOnly,
  },
  rbd: {
    monitors: "Addresses of the Ceph monitors. At least one is required.",
    image: "Name of the RADOS image.",
    fsType,
    pool: "Name of the RADOS pool. Default rbd.",
    user: "RADOS user. Default admin.",
    keyring: "Path of the user's key ring on the node. Default /etc/ceph/keyring.",
    secretRef: "Secret with the user's key. Goes before keyring.",
    readOnly,
  },
  cinder: {
    volumeID: "Identifier of the volume in OpenStack Cinder.",
    fsType,
    readOnly,
    secretRef: "Secret with the parameters of the connection to OpenStack.",
  },
  cephfs: {
    monitors: "Addresses of the Ceph monitors. At least one is required.",
    path: "Directory to mount as the root. Default /.",
    user: "RADOS user. Default admin.",
    secretFile: "Path of the user's key ring on the node. Default /etc/ceph/user.secret.",
    secretRef: "Secret with the user's key. Goes before secretFile.",
    readOnly,
  },
  flexVolume: {
    driver: "Name of the driver, as VENDOR/DRIVER.",
    fsType: "File system that the volume is mounted with. If left out, the driver's script decides.",
    secretRef: "Secret whose values are passed to the driver's script.",
    readOnly,
    options: "Further options for the driver's script.",
  },
  iscsi: {
    targetPortal: "Address of the target's portal, as IP or IP:PORT. The port is 3260 if left out.",
    iqn: "Qualified name of the target.",
    lun: "Number of the logical unit.",
    iscsiInterface: "Name of the interface on the node. Default default, which is TCP.",
    fsType,
    readOnly,
    portals: "Further portals of the target, for several paths to it.",
    chapAuthDiscovery: "Whether discovery authenticates with CHAP.",
    chapAuthSession: "Whether sessions authenticate with CHAP.",
    secretRef: "Secret with the user names and passwords for CHAP.",
    initiatorName:
      "Name that the node presents. If it is given along with iscsiInterface, a new interface is made for it.",
  },
  azureFile: {
    secretName: "Name of the secret with the name and key of the Azure storage account.",
    shareName: "Name of the share.",
    readOnly,
  },
  scaleIO: {
    gateway: "Address of the ScaleIO gateway.",
    system: "Name of the storage system.",
    secretRef: "Secret with the credentials of the ScaleIO user.",
    sslEnabled: "Whether to speak TLS with the gateway. Default false.",
    protectionDomain: "Name of the protection domain.",
    storagePool: "Name of the storage pool in the protection domain.",
    storageMode: "ThickProvisioned or ThinProvisioned. Default ThinProvisioned.",
    volumeName: "Name of the volume in the storage system.",
    fsType: "File system that the volume is mounted with. Default xfs.",
    readOnly,
  },
  storageos: {
    volumeName: "Name of the StorageOS volume, unique within its StorageOS namespace.",
    volumeNamespace:
      "StorageOS namespace of the volume. If left out, the pod's namespace, so that names stay apart as usual.",
    fsType,
    readOnly,
    secretRef: "Secret with the credentials for the StorageOS API. Default values are used if left out.",
  },
  cloudDisk: { fsType, partition, readOnly },
};

/** Texts of the fields that choose a kind of volume, both inside of pods and in persistent volumes. */
export const sources = {
  hostPath:
    "A file or directory of the node itself. It gives access to the node to anybody who may set it, and its content differs from node to node.",
  gcePersistentDisk: `A persistent disk of Google Compute Engine. Deprecated in favour of CSI. ${notMounted}`,
  awsElasticBlockStore: `An Elastic Block Store disk of Amazon Web Services. Deprecated in favour of CSI. ${notMounted}`,
  nfs: `A directory of an NFS server. ${notMounted}`,
  iscsi: `A disk reached by iSCSI. ${notMounted}`,
  glusterfs: `A Gluster volume. Deprecated; its driver was removed in 1.26. ${notMounted}`,
  rbd: `A RADOS block device of Ceph. ${notMounted}`,
  flexVolume: `A volume of a driver that is a script on the node. Deprecated in favour of CSI. ${notMounted}`,
  cinder: `A volume of OpenStack Cinder. Deprecated in favour of CSI. ${notMounted}`,
  cephfs: `A file system of Ceph. ${notMounted}`,
  flocker: `A Flocker dataset. Deprecated; its driver was removed in 1.25. ${notMounted}`,
  fc: `A disk reached by Fibre Channel. ${notMounted}`,
  azureFile: `A share of Azure Files. Deprecated in favour of CSI. ${notMounted}`,
  vsphereVolume: `A virtual disk of vSphere. Deprecated in favour of CSI. ${notMounted}`,
  quobyte: `A Quobyte volume. Deprecated; its driver was removed in 1.25. ${notMounted}`,
  azureDisk: `A data disk of Azure. Deprecated in favour of CSI. ${notMounted}`,
  photonPersistentDisk: `A persistent disk of Photon Controller. Deprecated; its driver was removed. ${notMounted}`,
  portworxVolume: `A Portworx volume. Deprecated in favour of CSI. ${notMounted}`,
  scaleIO: `A ScaleIO volume. Deprecated; its driver was removed in 1.22. ${notMounted}`,
  storageos: `A StorageOS volume. Deprecated; its driver was removed in 1.25. ${notMounted}`,
  csi: `A volume of a CSI driver. ${notMounted}`,
};
