"""The manifests in packaging/kubernetes: they are valid, their rules fit one another, and servers start with their variables, also
with those that Kubernetes adds for Services."""

import contextlib
import os
import re
import subprocess
import tempfile
from pathlib import Path

import environment
import nginx
from contract_server import ask
from postgres import Postgres
from server_process import ServerProcess
from waiting import wait_until

# The oldest supported release and the newest one that the validator knows.
VERSIONS = ("1.33", "1.37")
FOLDER = environment.ROOT / "packaging" / "kubernetes"
# What Kubernetes adds for a Service with the name "reorderd", if `enableServiceLinks` is true.
SERVICE_LINKS = {
    "REORDERD_SERVICE_HOST": "10.0.0.1", "REORDERD_SERVICE_PORT": "80", "REORDERD_SERVICE_PORT_HTTP": "80",
    "REORDERD_PORT": "tcp://10.0.0.1:80", "REORDERD_PORT_80_TCP": "tcp://10.0.0.1:80",
    "REORDERD_PORT_80_TCP_PROTO": "tcp", "REORDERD_PORT_80_TCP_PORT": "80", "REORDERD_PORT_80_TCP_ADDR": "10.0.0.1",
}


def run(program, seed, is_long):
    # Imported here, because only this step needs the packages.
    environment.use()
    import kubernetes_validate
    import yaml

    manifests = {file.name: list(yaml.safe_load_all(file.read_text())) for file in sorted(FOLDER.glob("*.yaml"))}
    for name, objects in manifests.items():
        for one in objects:
            for version in VERSIONS:
                kubernetes_validate.validate(one, version, strict=True)
        for pod in filter(None, map(pod_of, objects)):
            check_pod(pod, name)
    deployment, stateful = (only(manifests, kind) for kind in ("Deployment", "StatefulSet"))
    for workload in (deployment, stateful):
        check_service(manifests, workload)
    with nginx.folder() as place, Postgres(place / "postgres").make().start() as database:
        migrate(program, job(manifests, "migrate.yaml"), database.url())
        serve(program, pod_of(deployment), database.url(), place)
        serve(program, pod_of(stateful), None, place)
    restore(program, job(manifests, "restore.yaml"), stateful)
    kinds = [one["kind"] for objects in manifests.values() for one in objects]
    print(f"{', '.join(kinds)}: valid for Kubernetes {' and '.join(VERSIONS)}; servers start, drain and stop with their variables")


def only(manifests, kind):
    (one,) = [one for objects in manifests.values() for one in objects if one["kind"] == kind]
    return one


def job(manifests, name):
    (one,) = manifests[name]
    assert one["kind"] == "Job", name
    return pod_of(one)


def pod_of(one):
    return one["spec"].get("template", {}).get("spec")


def check_pod(pod, name):
    """The rules that the schemas do not have."""
    (container,) = pod["containers"]
    assert pod["enableServiceLinks"] is False and pod["automountServiceAccountToken"] is False, name
    assert pod["securityContext"]["runAsUser"] == image_user(), name
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}, name
    mounted = {mount["name"] for mount in container.get("volumeMounts", [])}
    assert container["image"] == f"reorderd:{label()}", name
    if "readinessProbe" not in container:
        return
    drain = int(plain(container).get("REORDERD_DRAIN_SECONDS", 0))
    # The stop takes up to ten seconds.
    assert pod["terminationGracePeriodSeconds"] >= drain + 10, name
    probe = container["readinessProbe"]
    assert drain == 0 or drain > probe["periodSeconds"] * probe["failureThreshold"], name
    claims = {"lists"} if "lists" in mounted else set()
    assert mounted == {volume["name"] for volume in pod["volumes"]} | claims, name


def check_service(manifests, workload):
    """The Service next to a workload selects its pods and names their port."""
    (objects,) = [objects for objects in manifests.values() if workload in objects]
    (service,) = [one for one in objects if one["kind"] == "Service"]
    labels = workload["spec"]["template"]["metadata"]["labels"]
    assert service["spec"]["selector"].items() <= labels.items()
    assert workload["spec"]["selector"]["matchLabels"].items() <= labels.items()
    ports = {port["name"] for port in pod_of(workload)["containers"][0]["ports"]}
    assert service["spec"]["ports"][0]["targetPort"] in ports


def plain(container):
    """The variables with values, without those from Secrets."""
    return {one["name"]: one["value"] for one in container.get("env", []) if "value" in one}


def migrate(program, pod, url):
    (container,) = pod["containers"]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "url").write_text(f"{url}\n")
        variables = {name: value.replace("/etc/reorderd/store", folder) for name, value in plain(container).items()}
        subprocess.run(
            [program, *container["args"]], check=True, stdout=subprocess.DEVNULL,
            env={**os.environ, **image_variables(), **variables})


def restore(program, pod, stateful):
    """The Job restores a backup of the StatefulSet's file, in its volume."""
    (container,), (volume,) = pod["containers"], pod["volumes"]
    claim = f"{stateful['spec']['volumeClaimTemplates'][0]['metadata']['name']}-{stateful['metadata']['name']}-0"
    assert volume["persistentVolumeClaim"]["claimName"] == claim
    (server,) = pod_of(stateful)["containers"]
    assert container["volumeMounts"][0]["mountPath"] in [mount["mountPath"] for mount in server["volumeMounts"]]
    store = plain(server)["REORDERD_STORE"].removeprefix("file:")
    with tempfile.TemporaryDirectory() as folder:
        def here(path):
            return path.replace(container["volumeMounts"][0]["mountPath"], folder)

        Path(folder, "list.jsonl").write_text('{"id":"a","title":"A","tasks":[{"id":"t","title":"T"}]}\n')
        command = [program, "import", "--store", f"file:{here(store)}", Path(folder, "list.jsonl")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([program, "backup", here(store), f"{folder}/copy.db"], check=True)
        ended = subprocess.run(
            [program, *map(here, container["args"])], check=True, capture_output=True, text=True,
            env={**os.environ, **image_variables()})
        assert ended.stdout.startswith(f"restored {here(store)}: 1 list, 1 task"), ended.stdout


def serve(program, pod, url, place):
    """Runs the pod's server like Kubernetes: its variables override those of the image, and its probes decide. Also with the
    variables of Services."""
    (container,) = pod["containers"]
    for links in ({}, SERVICE_LINKS):
        with tempfile.TemporaryDirectory(dir=place) as name, contextlib.ExitStack() as ending:
            folder = Path(name)
            subprocess.run(
                [program, "token", "new", "--name", "app", "--scope", "write", "--file", folder / "tokens.jsonl"],
                check=True, stdout=subprocess.DEVNULL)
            variables = {**image_variables(), **plain(container), **links}
            if url:
                (folder / "url").write_text(f"{url}\n")
            here = {"/etc/reorderd/store/": f"{folder}/", "/etc/reorderd/tokens/": f"{folder}/", "/var/lib/reorderd/": f"{folder}/"}
            for path, replacement in here.items():
                variables = {variable: value.replace(path, replacement) for variable, value in variables.items()}
            others = {key: value for key, value in os.environ.items() if not key.startswith("REORDERD_")}
            command, everything = [program, *container["args"]], {**others, **variables}
            printed = subprocess.run(
                [*command, "--print-configuration"], check=True, capture_output=True, text=True, env=everything).stdout
            assert f"REORDERD_PORT={container['ports'][0]['containerPort']}\n" in printed, printed
            # That port can be in use on this machine.
            server = ServerProcess([*command, "--port", "0"], folder / "log", env=everything)
            ending.callback(server.kill)
            address = f"127.0.0.1:{server.port}"
            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                path = container[probe]["httpGet"]["path"]
                wait_until(lambda at=address, path=path: ask(at, "GET", path)[0] == 200, f"{path} returns 200")
            assert ask(address, "GET", "/lists")[0] == 401
            assert ("REORDERD_SERVICE_HOST" in server.log) == bool(links), server.log
            server.stop()


def image_user():
    return int(re.search(r"^USER (\d+):", dockerfile(), re.MULTILINE)[1])


def image_variables():
    words = re.search(r"^ENV (.*)$", dockerfile(), re.MULTILINE)[1].split()
    return dict(word.split("=", 1) for word in words if word.startswith("REORDERD_"))


def label():
    return re.search(r'image\.version="([^"]+)"', dockerfile())[1]


def dockerfile():
    return (environment.ROOT / "Dockerfile").read_text()
