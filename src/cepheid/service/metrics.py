"""What Prometheus is told. No label ever is a profile, a token or an address: their number has no bound."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

DELAYS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)


class ServiceMetrics:
    """All figures of one service."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.accepted = self._counter("cepheid_events_accepted", "Events that were written and synced")
        self.refused = Counter(
            "cepheid_events_refused", "Events that were not accepted", ["reason"], registry=self.registry
        )
        for reason in ("late", "bad", "busy"):
            self.refused.labels(reason)
        self.notifications = self._counter("cepheid_notifications", "Matches that profiles told")
        self.delay = self._histogram(
            "cepheid_notification_delay_seconds", "From the arrival of events to the notification, committed"
        )
        self.delivery_delay = self._histogram(
            "cepheid_delivery_delay_seconds", "From a notification to its successful delivery by webhook"
        )
        deliveries = Counter(
            "cepheid_deliveries", "Attempts to deliver by webhook", ["outcome"], registry=self.registry
        )
        self.delivered, self.failed = map(deliveries.labels, ("delivered", "failed"))
        self.pending = self._gauge("cepheid_outbox_pending", "Deliveries that are not done yet")
        self.waiting = self._gauge("cepheid_events_waiting", "Events that wait for the writer")
        self.profiles = self._gauge("cepheid_profiles", "Profiles")
        self.stopped = self._counter(
            "cepheid_profiles_stopped", "Profiles that took too much and were stopped"
        )
        self.watermark = self._gauge("cepheid_watermark_seconds", "The clock of events, since 1970")
        self.commits = self._histogram("cepheid_commit_seconds", "Time that a group takes, commit included")
        self.listeners = self._gauge("cepheid_feed_listeners", "Open connections to the feed")
        self.failures = self._counter("cepheid_engine_failures", "Groups that failed and were taken back")

    def _counter(self, name: str, about: str) -> Counter:
        return Counter(name, about, registry=self.registry)

    def _gauge(self, name: str, about: str) -> Gauge:
        return Gauge(name, about, registry=self.registry)

    def _histogram(self, name: str, about: str) -> Histogram:
        return Histogram(name, about, buckets=DELAYS, registry=self.registry)
