"""Parses `/metrics` with Prometheus' own parser for Python, before and after some requests. The alerts and the dashboard in
packaging use only metrics that servers have, and docs/reference.md has all of them."""

import json
import re
import shutil
import subprocess
import urllib.request

import contract_server
import environment
import nginx
import reference
from contract_server import ask
from postgres import Postgres
from server_process import ServerProcess
from waiting import wait_until

REQUIRED = {
    "reorderd_ready": "gauge",
    "reorderd_ready_for_writes": "gauge",
    "reorderd_memory_limit_bytes": "gauge",
    "reorderd_disk_free_bytes": "gauge",
    "reorderd_requests": "counter",
    "reorderd_request_duration_seconds": "histogram",
    "reorderd_refusals": "counter",
    "reorderd_ready_answers": "counter",
    "reorderd_connections": "gauge",
    "reorderd_streams": "gauge",
    "reorderd_commit_changes": "histogram",
    "reorderd_commit_duration_seconds": "histogram",
    "reorderd_commits_failed": "counter",
    "reorderd_cache_lists": "gauge",
    "reorderd_cache_bytes": "gauge",
    "reorderd_cache_hits": "counter",
    "reorderd_cache_misses": "counter",
    "reorderd_journal_changes": "counter",
    "reorderd_journal_bytes": "gauge",
    "process_resident_memory_bytes": "gauge",
    "process_open_fds": "gauge",
    "process_cpu_seconds": "counter",
    "process_start_time_seconds": "gauge",
}


def run(program, seed, is_long):
    environment.use()
    with contract_server.running(program, "--log-level", "error") as address:
        read(address)
        for number in range(3):
            ask(address, "PUT", f"/lists/l{number}", {"title": "\\ \" \n"})
        for path in ("/lists/l0", "/lists/l0", "/none", "/lists/none", "/lists/%zz"):
            ask(address, "GET", path)
        families, text = read(address)
    kinds = {name: family.type for name, family in families.items()}
    assert REQUIRED.items() <= kinds.items(), REQUIRED.items() - kinds.items()
    for name, family in families.items():
        assert family.documentation, f"{name} has no help text"
        seen = [(sample.name, tuple(sorted(sample.labels.items()))) for sample in family.samples]
        assert len(seen) == len(set(seen)), f"{name} has a repeated sample"
        if family.type == "histogram":
            check_histogram(family)
    answered = {
        (sample.labels["route"], sample.labels["method"], sample.labels["status"]): sample.value
        for sample in families["reorderd_requests"].samples
    }
    assert answered["/lists/:id", "PUT", "201"] == 3, answered
    assert answered["(none)", "GET", "400"] == 1, answered
    lint = ""
    if promtool := shutil.which("promtool"):
        result = subprocess.run([promtool, "check", "metrics"], input=text, text=True, capture_output=True)
        assert result.returncode == 0 and not result.stdout, result.stdout + result.stderr
        lint = ", promtool finds no faults"
    check_alerts_and_dashboard(program, families)
    print(f"{len(families)} metrics, {sum(len(family.samples) for family in families.values())} samples{lint}")


def check_alerts_and_dashboard(program, families):
    import yaml

    packaging = environment.ROOT / "packaging"
    alerts = packaging / "prometheus" / "alerts.yaml"
    dashboard = json.loads((packaging / "grafana" / "reorderd.json").read_text())
    rules = [rule for group in yaml.safe_load(alerts.read_text())["groups"] for rule in group["rules"]]
    expressions = [rule["expr"] for rule in rules]
    expressions += [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert len(rules) > 5 and len(expressions) > 20, expressions
    with nginx.folder() as place, Postgres(place / "postgres").make().start() as database:
        options = ["--port", "0", "--store", database.url(), "--migrate"]
        with ServerProcess([program, "serve", *options], place / "log") as server:
            ask(server.url, "POST", "/webhooks", {"url": "https://example.org/"})
            name = "reorderd_webhook_failed_attempts"
            wait_until(lambda: name in read(server.url)[0], "the webhook is counted")
            others, _ = read(server.url)
    reference.compare_metrics([*families.values(), *others.values()])
    samples = {sample.name for family in [*families.values(), *others.values()] for sample in family.samples}
    for expression in expressions:
        names = re.findall(r"\b(?:reorderd|process)_\w+", expression)
        assert names or "up{" in expression, expression
        assert set(names) <= samples, f"{set(names) - samples}: {expression}"
    if promtool := shutil.which("promtool"):
        with nginx.folder() as place:
            for file in (alerts, environment.ROOT / "Tests" / "Contract" / "alerts.test.yaml"):
                shutil.copy(file, place)
            subprocess.run([promtool, "test", "rules", "alerts.test.yaml"], cwd=place, check=True, stdout=subprocess.DEVNULL)


def check_histogram(family):
    """In each series the buckets never decrease, and the last one equals the count."""
    series = {}
    for sample in family.samples:
        labels = tuple(item for item in sorted(sample.labels.items()) if item[0] != "le")
        series.setdefault(labels, []).append(sample)
    for labels, samples in series.items():
        buckets = [(float(s.labels["le"]), s.value) for s in samples if s.name.endswith("_bucket")]
        assert buckets == sorted(buckets) and buckets[-1][0] == float("inf"), (family.name, labels)
        assert all(low[1] <= high[1] for low, high in zip(buckets, buckets[1:])), (family.name, labels)
        (count,) = [s.value for s in samples if s.name.endswith("_count")]
        (total,) = [s.value for s in samples if s.name.endswith("_sum")]
        assert count == buckets[-1][1] and total >= 0, (family.name, labels)


def read(address):
    from prometheus_client.parser import text_string_to_metric_families

    with urllib.request.urlopen(f"{address}/metrics") as answer:
        assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        text = answer.read().decode()
    return {family.name: family for family in text_string_to_metric_families(text)}, text
