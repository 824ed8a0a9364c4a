"""Does one operation with the `kubernetes` package of Python.

Reads {operation, config, namespace, manifests, patches, applied, pod, greeting} as JSON from standard input. Ends with exit
code 0 when the operation did what it should, else with 1 and the reason on standard error.
"""

import json
import sys
import threading

from kubernetes import client, config, dynamic, stream, utils, watch
from kubernetes.client.exceptions import ApiException


def expect(found, wanted, what):
    if found != wanted:
        raise AssertionError("%s: found %r, wanted %r" % (what, found, wanted))


def refused(status, call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except ApiException as error:
        expect(error.status, status, "status")
        return
    raise AssertionError("not refused with %d" % status)


def create(task):
    for manifest in task["manifests"]:
        utils.create_from_dict(client.ApiClient(), manifest)


def list_(task):
    selector = "app=%s" % task["name"]
    namespace = task["namespace"]
    lists = [
        client.CoreV1Api().list_namespaced_config_map,
        client.CoreV1Api().list_namespaced_service,
        client.AppsV1Api().list_namespaced_deployment,
        client.BatchV1Api().list_namespaced_cron_job,
        client.AutoscalingV1Api().list_namespaced_horizontal_pod_autoscaler,
        client.PolicyV1Api().list_namespaced_pod_disruption_budget,
    ]
    for call in lists:
        names = [item.metadata.name for item in call(namespace, label_selector=selector).items]
        expect(names, [task["name"]], call.__name__)


def watch_(task):
    core = client.CoreV1Api()
    body = {"metadata": {"annotations": {"seen": "yes"}}}
    patched = threading.Timer(0.5, core.patch_namespaced_config_map, (task["name"], task["namespace"], body))
    patched.start()
    seen = []
    for event in watch.Watch().stream(core.list_namespaced_config_map, task["namespace"], timeout_seconds=60):
        seen.append((event["type"], event["object"].metadata.name))
        if seen[-1] == ("MODIFIED", task["name"]):
            return
    raise AssertionError("the watch ended after %r" % seen)


def json_patch(task):
    core = client.CoreV1Api()
    patched = core.patch_namespaced_config_map(task["name"], task["namespace"], task["patches"]["json"])
    expect(patched.data, {"color": "green", "shape": "round"}, "data")


def merge_patch(task):
    maps = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="ConfigMap")
    media_type = "application/merge-patch+json"
    patched = maps.patch(
        name=task["name"], namespace=task["namespace"], body=task["patches"]["merge"], content_type=media_type
    )
    expect(patched.to_dict()["data"], {"color": "green", "size": "big"}, "data")


def strategic_patch(task):
    apps = client.AppsV1Api()
    patched = apps.patch_namespaced_deployment(task["name"], task["namespace"], task["patches"]["strategic"])
    names = sorted(variable.name for variable in patched.spec.template.spec.containers[0].env)
    expect(names, ["FIRST", "SECOND"], "variables")


def server_side_apply(task):
    maps = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="ConfigMap")

    def apply(manager, data, force=False):
        # As text: this client would refuse to send a dictionary as YAML.
        body = json.dumps(dict(task["applied"], data=data))
        name = task["applied"]["metadata"]["name"]
        return maps.server_side_apply(
            body=body, name=name, namespace=task["namespace"], field_manager=manager, force_conflicts=force
        ).to_dict()["data"]

    apply("one", {"a": "1", "b": "1"})
    expect(apply("one", {"a": "1"}), {"a": "1"}, "data")
    refused(409, apply, "two", {"a": "2"})
    expect(apply("two", {"a": "2"}, True), {"a": "2"}, "data")


def delete(task):
    objects = dynamic.DynamicClient(client.ApiClient())
    for manifest in task["manifests"]:
        resource = objects.resources.get(api_version=manifest["apiVersion"], kind=manifest["kind"])
        resource.delete(name=task["name"], namespace=task["namespace"])
    refused(404, client.CoreV1Api().read_namespaced_config_map, task["name"], task["namespace"])


def logs(task):
    log = client.CoreV1Api().read_namespaced_pod_log(task["pod"], task["namespace"])
    expect(log[: len(task["greeting"])], task["greeting"], "log")


def exec_(task):
    call = client.CoreV1Api().connect_get_namespaced_pod_exec

    def run(script):
        session = stream.stream(
            call,
            task["pod"],
            task["namespace"],
            command=["sh", "-c", script],
            stdout=True,
            stderr=True,
            _preload_content=False,
        )
        session.run_forever(timeout=60)
        return session.read_stdout() if session.peek_stdout() else "", session.returncode

    expect(run("echo $((6 * 7))"), ("42\n", 0), "output and exit code")
    expect(run("exit 5"), ("", 5), "output and exit code")


OPERATIONS = {
    "create": create,
    "list": list_,
    "watch": watch_,
    "json patch": json_patch,
    "merge patch": merge_patch,
    "strategic patch": strategic_patch,
    "server-side apply": server_side_apply,
    "delete": delete,
    "logs": logs,
    "exec": exec_,
}


def main():
    task = json.load(sys.stdin)
    config.load_kube_config(config_file=task["config"])
    try:
        OPERATIONS[task["operation"]](task)
    except Exception as error:  # pylint: disable=broad-except
        body = getattr(error, "body", None)
        sys.stderr.write("%s: %s\n" % (type(error).__name__, body or error))
        sys.exit(1)


main()
