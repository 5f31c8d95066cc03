"""Who plays: users, bots, their immutable versions, and what was found when a version was checked.

Models hold fields and constraints; verbs stand in ``botapi.submissions`` and ``botapi.bots``.
"""

from __future__ import annotations

from typing import Final

from django.contrib.auth.models import AbstractUser
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class User(AbstractUser):
    """A person with an account: author, player, organiser or operator."""

    email = models.EmailField(unique=True)
    email_verified_at = models.DateTimeField(null=True, blank=True)
    is_organiser = models.BooleanField(default=False)
    language = models.CharField(
        max_length=5,
        blank=True,
        default="",
        help_text="chosen by the person; empty: what the browser asks for",
    )
    display = models.JSONField(default=dict, blank=True, help_text="how pages look: botapi.display")
    left_at = models.DateTimeField(null=True, blank=True, help_text="when the person deleted the account")
    sessions_ended = models.PositiveIntegerField(
        default=0, help_text="how often other devices were logged out"
    )

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="names_differ_in_more_than_case",
                violation_error_message=_("This name is taken."),
            ),
            models.UniqueConstraint(
                Lower("email"),
                name="one_account_an_address",
                violation_error_message=_("There is an account with this address already."),
            ),
        ]

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """What each session must hold to count, beside the password as Django has it: :attr:`sessions_ended`."""
        of_the_password: str = super()._get_session_auth_hash(secret=secret)  # type: ignore[misc] # not in the stubs
        if not self.sessions_ended:
            return of_the_password
        return salted_hmac("botapi.sessions", f"{of_the_password} {self.sessions_ended}").hexdigest()


class TokenScope(models.Model):
    """The name and scopes of one API token; its secret digest is knox's. Scopes: service.md, "Authors"."""

    token = models.OneToOneField("knox.AuthToken", on_delete=models.CASCADE, related_name="scope")
    name = models.CharField(max_length=60)
    scopes = models.JSONField(default=list)

    def __str__(self) -> str:
        return self.name


class Bot(models.Model):
    """One competitor: an author's (sandboxed Python or HTTP), or a house bot, which has no owner."""

    class Kind(models.TextChoices):
        SANDBOX = "sandbox", _("sandboxed Python")
        HTTP = "http", _("HTTP endpoint")
        HOUSE = "house", _("house bot")

    class State(models.TextChoices):
        ACTIVE = "active", _("active")
        PAUSED = "paused", _("paused")
        SUSPENDED = "suspended", _("suspended")
        WITHDRAWN = "withdrawn", _("withdrawn")

    class Suspension(models.TextChoices):
        FAULTS = "faults", _("too many matches handed to a house bot")
        START = "start", _("did not start")
        OPERATOR = "operator", _("by an operator")

    name = models.CharField(
        max_length=40,
        unique=True,
        validators=[
            RegexValidator(r"\A[a-z0-9][a-z0-9-]{1,38}[a-z0-9]\Z", _("Use 3 to 40 of a-z, 0-9 and -."))
        ],
    )
    owner = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="bots")
    kind = models.CharField(max_length=10, choices=Kind)
    house = models.CharField(max_length=20, blank=True, help_text="name of the house bot that plays for it")
    state = models.CharField(max_length=10, choices=State, default=State.ACTIVE)
    state_reason = models.CharField(max_length=300, blank=True)
    suspended_for = models.CharField(max_length=10, choices=Suspension, blank=True)
    forfeits_from = models.DateTimeField(
        null=True, blank=True, help_text="matches finished before it no longer count towards a suspension"
    )
    former_name = models.CharField(
        max_length=40, blank=True, help_text="hidden by an operator; nobody gets it"
    )
    notes = models.TextField(max_length=2000, blank=True)
    notes_hidden = models.BooleanField(default=False)
    allow_tests = models.BooleanField(
        default=True, help_text="others may play unrated test matches against it"
    )
    unsigned = models.BooleanField(default=False, help_text="its endpoint accepts wrongly signed requests")
    active_version = models.ForeignKey(
        "Version", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                name="a_house_bot_has_no_owner_and_all_others_have_one",
                condition=Q(kind="house", owner__isnull=True) | (~Q(kind="house") & Q(owner__isnull=False)),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Complaint(models.Model):
    """Somebody says that a bot's name or public notes should not be shown; an operator settles it."""

    class About(models.TextChoices):
        NAME = "name", _("its name")
        NOTES = "notes", _("its public notes")

    class State(models.TextChoices):
        OPEN = "open", _("open")
        UPHELD = "upheld", _("hidden")
        DISMISSED = "dismissed", _("left as it is")

    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="complaints")
    about = models.CharField(max_length=10, choices=About)
    reason = models.CharField(max_length=500)
    reporter = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="complaints"
    )
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    created_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["bot", "about", "reporter"],
                condition=Q(state="open"),
                name="one_open_complaint_a_person",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bot.name}: {self.about}"


class EndpointSecret(models.Model):
    """A signing secret of an HTTP bot, encrypted with SECRETS_KEY; two are valid during a rotation."""

    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="secrets")
    ciphertext = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"a secret of {self.bot.name}"


class Artifact(models.Model):
    """The canonical, re-packed zip of a version's files, under its content hash, stored here alone."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    data = models.BinaryField()
    size = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.sha256


class Version(models.Model):
    """An immutable submission of a bot. Matches keep the version they were made with."""

    class State(models.TextChoices):
        PENDING = "pending", _("waiting for its check")
        CHECKING = "checking", _("being checked")
        PASSED = "passed", _("passed")
        REFUSED = "refused", _("refused")

    LOST: Final = "lost"
    """The code of a check that the service could not finish: it is tried again later, or when its author asks."""

    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    sha256 = models.CharField(
        max_length=64, help_text="content hash: of the canonical zip, or of the endpoint's URL"
    )
    artifact = models.ForeignKey(Artifact, null=True, blank=True, on_delete=models.PROTECT)
    url = models.URLField(max_length=500, blank=True)
    label = models.CharField(max_length=60, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    check_code = models.CharField(max_length=30, blank=True)
    check_report = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    checked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["bot_id", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["bot", "number"], name="version_numbers_are_unique_in_a_bot"),
            models.UniqueConstraint(fields=["bot", "sha256"], name="the_same_content_is_the_same_version"),
        ]

    def __str__(self) -> str:
        return f"{self.bot.name} v{self.number}"


class IdempotencyKey(models.Model):
    """The answer given to a request with this Idempotency-Key, written in the request's transaction."""

    user = models.ForeignKey(User, on_delete=models.CASCADE)
    key = models.CharField(max_length=100)
    request_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    body = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="one_answer_a_key")]

    def __str__(self) -> str:
        return self.key


class Webhook(models.Model):
    """Where an author wants to be told what happens to own bots; its signing secret is encrypted."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="webhook")
    url = models.URLField(max_length=500)
    ciphertext = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"webhook of {self.user}"


class WebhookEvent(models.Model):
    """One event on its way to an author's webhook, written in the transaction of what it tells."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        DELIVERED = "delivered", _("delivered")
        FAILED = "failed", pgettext_lazy("delivery", "failed")

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="events")
    event_id = models.CharField(max_length=40, unique=True, help_text="sent as webhook-id with every attempt")
    kind = models.CharField(max_length=20)
    body = models.TextField(help_text="JSON, sent as it stands")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(help_text="not sent (again) before")
    answer = models.CharField(max_length=200, blank=True, help_text="what the last attempt came to")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index("next_at", condition=Q(state="waiting"), name="webhook_events_due"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.event_id}"
