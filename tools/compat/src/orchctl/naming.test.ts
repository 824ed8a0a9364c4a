import { expect, test } from "vitest";
import { toOwnNames, toStockNames } from "./naming.ts";

test.each([
  ["rbac.authorization.k8s.io/v1", "rbac.authorization.o8s.io/v1"],
  ["application/vnd.kubernetes.protobuf", "application/vnd.orchernetes.protobuf"],
  ["kube-system", "orch-system"],
  ["kubernetes.io/hostname", "orchernetes.io/hostname"],
  ["kubeletVersion", "orchletVersion"],
  ["Kubelet Version:", "Orchlet Version:"],
  ["kubectl.kubernetes.io/last-applied-configuration", "orchctl.orchernetes.io/last-applied-configuration"],
  ["torch, orchestra and k9s", "torch, orchestra and k9s"],
])("%s is %s", (stock, own) => {
  expect(toOwnNames(stock)).toBe(own);
  expect(toStockNames(own)).toBe(stock);
});
