/** What each unsupported kind of volume would require, by the name of its field. */
const needs: Readonly<Record<string, string>> = {
  iscsi: "the kernel module iscsi_tcp and the daemon iscsid; use a CSI driver for iSCSI",
  fc: "a Fibre Channel adapter and multipath tools; use a CSI driver for Fibre Channel",
  rbd: "the kernel module rbd and Ceph's program rbd; use the CSI driver rbd.csi.ceph.com",
  cephfs: "the kernel module ceph; use the CSI driver cephfs.csi.ceph.com",
  glusterfs: "the client of GlusterFS; Kubernetes removed this kind in 1.26",
  portworxVolume: "the CSI driver pxd.portworx.com, whose volumes have the source csi",
  gitRepo:
    "git on the node, which anybody who creates a pod could make run commands; use an init container that clones",
  flocker: "Flocker, which Kubernetes removed in 1.25",
  quobyte: "Quobyte's client, which Kubernetes removed in 1.25",
  storageos: "StorageOS, which Kubernetes removed in 1.25",
  scaleIO: "ScaleIO, which Kubernetes removed in 1.22",
  photonPersistentDisk: "a Photon platform, for which no Kubernetes has a driver any more",
};

/** The error for a volume that this agent cannot mount. @param source the volume, or the specification of a PersistentVolume */
export function unsupportedVolume(source: object): Error {
  const set = Object.entries(source).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  const kind = set.find((field) => Object.hasOwn(needs, field));
  const why = kind === undefined ? "" : `: they need ${needs[kind]}`;
  return new Error(
    `volumes of kind ${kind ?? set.find((field) => field !== "name") ?? "unknown"} cannot be mounted by this agent${why}; it mounts emptyDir, hostPath, local, nfs, configMap, secret, downwardAPI, projected, flexVolume and csi`,
  );
}
