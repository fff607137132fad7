"""All tests, by their names in `scripts/torture`."""

from __future__ import annotations

from report import Test
from test_damage import damage
from test_floods import crowds, floods
from test_full_disk import full_disk
from test_kills import kills
from test_log_sync import failed_syncs, power_cuts, slow_syncs, stalled_stop
from test_lost_commits import lost_commits
from test_many_lists import many_lists
from test_servers import server_faults, servers
from test_soak import soak
from test_stops import queued_stop, stops
from test_unreadable import unreadable
from test_vanished_peers import vanished_peers
from test_webhooks import webhook_servers, webhooks
from test_wrong_clocks import wrong_clocks

# They measure times and memory, which need a quiet machine and the long form.
MEASUREMENTS = ("many-lists", "soak")
TESTS: dict[str, Test] = {
    test.__name__.replace("_", "-"): test
    for test in (
        kills, power_cuts, slow_syncs, failed_syncs, stalled_stop, full_disk, damage, many_lists, stops, queued_stop, soak,
        vanished_peers, floods, crowds, servers, server_faults, lost_commits, unreadable, wrong_clocks, webhooks, webhook_servers,
    )
}  # fmt: skip
