"""The one settings module, read from the environment and failing loudly.

Every name read here stands in ``.env.example`` (a test compares them). Nothing here starts or probes anything.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from celery.schedules import crontab
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent


def _text(name: str, default: str | None = None) -> str:
    value = os.environ.get(name, default)
    if value is None:
        raise ImproperlyConfigured(f"{name} is not set; .env.example lists every setting.")
    return value


def _flag(name: str, *, default: bool) -> bool:
    value = os.environ.get(name, "1" if default else "0").lower()
    if value not in {"0", "1", "true", "false", "yes", "no"}:
        raise ImproperlyConfigured(f"{name}={value!r}: say 1 or 0.")
    return value in {"1", "true", "yes"}


def _number(name: str, default: int) -> int:
    value = os.environ.get(name, str(default))
    if not value.isdigit():
        raise ImproperlyConfigured(f"{name}={value!r} is not a whole number.")
    return int(value)


def _database(url: str) -> dict[str, Any]:
    """One PostgreSQL address as Django's dictionary; the pool stands in for persistent connections (stack.md, trap 8)."""
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"} or not parts.path.strip("/"):
        raise ImproperlyConfigured("DATABASE_URL must look like postgresql://user:password@host:5432/name")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            "pool": {
                "min_size": 1,
                "max_size": _number("DATABASE_POOL", 8),
                "timeout": _number("DATABASE_TIMEOUT", 20),
                "reconnect_timeout": 3,
            }
        },
    }


DEBUG = _flag("DEBUG", default=False)
SECRET_KEY = _text("SECRET_KEY", "development-only" if DEBUG else None)
ALLOWED_HOSTS = [
    host for host in _text("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]" if DEBUG else "").split(",") if host
]
SITE_URL = _text("SITE_URL", "http://127.0.0.1:8000")
CSRF_TRUSTED_ORIGINS = [origin for origin in _text("CSRF_TRUSTED_ORIGINS", "").split(",") if origin]

DATABASES = {"default": _database(_text("DATABASE_URL"))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REDIS_URL = _text("REDIS_URL")
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL},
    "replays": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "replays",
        "OPTIONS": {"MAX_ENTRIES": 200},
    },
}

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_filters",
    "knox",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "botapi",
    "games",
    "ladder",
]
MIDDLEWARE = [
    "ladder.headers.on_every_answer",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "ladder.missing_pages.own_page",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "botapi.languages.of_the_account",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "ladder.urls"
WSGI_APPLICATION = "ladder.wsgi.application"
ASGI_APPLICATION = "ladder.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "botapi.display.context",
            ],
        },
    },
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",  # rows by the hundred
        "APP_DIRS": True,
        "OPTIONS": {"environment": "games.row_templates.environment"},
    },
]

AUTH_USER_MODEL = "botapi.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "bots:login"
LOGIN_REDIRECT_URL = "me"
LOGOUT_REDIRECT_URL = "home"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not DEBUG
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = not DEBUG
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("pl", "polski"), ("cs", "čeština"), ("ru", "русский"), ("nl", "Nederlands")]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = _text("STATIC_ROOT", str(BASE_DIR / "static_root"))
WHITENOISE_USE_FINDERS = DEBUG
EMAIL_BACKEND = _text("EMAIL_BACKEND", "django.core.mail.backends.console.EmailBackend")
DEFAULT_FROM_EMAIL = _text("DEFAULT_FROM_EMAIL", "ladder@localhost")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
ADMINS = [("operator", address) for address in _text("ADMINS", "").split(",") if address]
EMAIL_SUBJECT_PREFIX = "[Thousand ladder] "
EMAIL_TIMEOUT = 10

EMAIL_VERIFICATION = _flag("EMAIL_VERIFICATION", default=True)
"""Whether an author proves an e-mail address before rated play; without, every address counts as proved."""
if not EMAIL_VERIFICATION and not DEBUG:
    raise ImproperlyConfigured("EMAIL_VERIFICATION=0 is for development: only with DEBUG=1.")

DATA_UPLOAD_MAX_MEMORY_SIZE = 6 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 6 * 1024 * 1024

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "botapi.api.auth.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["botapi.api.auth.ScopedOrReadOnly"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["botapi.api.parsers.BoundedJson"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_PAGINATION_CLASS": "botapi.api.pagination.NewestFirst",
    "DEFAULT_THROTTLE_CLASSES": [
        "botapi.api.throttles.AnonThrottle",
        "botapi.api.throttles.UserThrottle",
        "botapi.api.throttles.ScopedThrottle",
    ],
    "DEFAULT_THROTTLE_RATES": {
        "anon": _text("THROTTLE_ANON", "120/min"),
        "user": _text("THROTTLE_USER", "600/min"),
        "submit": _text("THROTTLE_SUBMIT", "30/hour"),
        "login": _text("THROTTLE_LOGIN", "20/min"),
    },
    "NUM_PROXIES": 0,  # REMOTE_ADDR, which the web server made of what trusted proxies say; no header of a visitor's
    "EXCEPTION_HANDLER": "botapi.api.errors.problem",
    "PAGE_SIZE": 50,
}
GUEST_TABLES_OPEN = _number("GUEST_TABLES_OPEN", 6)
GUEST_TABLES_HOUR = _number("GUEST_TABLES_HOUR", 40)
"""Practice tables of all guests of one address: open at a time, and begun within an hour."""
STREAMS_OPEN = _number("STREAMS_OPEN", 60)
"""Public streams of one address that a web process keeps open."""
KNOX_TOKEN_MODEL = "knox.AuthToken"  # noqa: S105 - a model, not a secret
REST_KNOX = {"TOKEN_TTL": None, "TOKEN_LIMIT_PER_USER": 20}
SPECTACULAR_SETTINGS = {
    "TITLE": "Thousand ladder",
    "DESCRIPTION": "Bots, versions, matches, replays, ratings.",
    "VERSION": "1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {
        "BotState": "botapi.models.Bot.State",
        "BotKind": "botapi.models.Bot.Kind",
        "AuthorsBotKind": "botapi.serializers.AUTHORS_KINDS",
        "VersionState": "botapi.models.Version.State",
        "MatchState": "games.models.Match.State",
        "SeasonState": "ladder.models.Season.State",
        "EntrantState": "ladder.tournament_models.Entrant.State",
        "RoundState": "ladder.tournament_models.Round.State",
        "RoundStage": "ladder.tournament_models.Round.Stage",
        "TournamentPhase": "ladder.tournament_models.Tournament.Phase",
        "TournamentFormat": "ladder.tournament_models.Tournament.Format",
        "EventFormat": "ladder.events.models.Event.Format",
        "EventPhase": "ladder.events.models.Event.Phase",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "botapi.api.schema.with_problems",
    ],
}

# Celery carries wake-ups only; PostgreSQL is the queue of record, so early acks are right (stack.md, trap 1).
CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # for ever: a worker outlives any pause of Redis
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_ROUTES = {
    "games.play_cpu": {"queue": "cpu"},
    "games.play_waiting": {"queue": "waiting"},
}
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    "queue-checks": {"task": "games.queue_checks", "schedule": 2.0, "options": {"expires": 2}},
    "send-webhooks": {"task": "botapi.send_webhooks", "schedule": 10.0, "options": {"expires": 10}},
    "forget-webhook-events": {
        "task": "botapi.forget_webhook_events",
        "schedule": crontab(hour="4", minute="10"),
    },
    "erase-left": {"task": "ladder.erase_left", "schedule": crontab(minute="20")},
    "watchdog": {"task": "games.watchdog", "schedule": 5.0, "options": {"expires": 5}},
    "matchmaking": {"task": "ladder.matchmaking", "schedule": 2.0, "options": {"expires": 2}},
    "rate": {"task": "ladder.rate", "schedule": 2.0, "options": {"expires": 2}},
    "tournaments": {"task": "ladder.tournaments", "schedule": 2.0, "options": {"expires": 2}},
    "events": {"task": "ladder.events", "schedule": 2.0, "options": {"expires": 2}},
    "count-deals": {"task": "ladder.count_deals", "schedule": 10.0, "options": {"expires": 10}},
    "publish-boards": {"task": "ladder.publish_boards", "schedule": crontab(hour="3", minute="0")},
    "flag-pairs": {"task": "ladder.flag_pairs", "schedule": crontab(hour="3", minute="30")},
}

# Bots. The key encrypts endpoint and webhook secrets at rest (Fernet); loopback endpoints are for development alone.
SECRETS_KEY = _text("SECRETS_KEY", "development-only" if DEBUG else None)
BOT_ENDPOINTS_ALLOW_PRIVATE = _flag("BOT_ENDPOINTS_ALLOW_PRIVATE", default=False)
if BOT_ENDPOINTS_ALLOW_PRIVATE and not DEBUG:
    raise ImproperlyConfigured(
        "BOT_ENDPOINTS_ALLOW_PRIVATE opens loopback and private addresses: only with DEBUG=1."
    )
SANDBOX_BACKEND = _text("SANDBOX_BACKEND", "auto")
if SANDBOX_BACKEND not in {"auto", "bwrap", "landlock"}:
    raise ImproperlyConfigured(f"SANDBOX_BACKEND={SANDBOX_BACKEND!r}: say auto, bwrap or landlock.")
SANDBOX_REQUIRE_CGROUP = _flag("SANDBOX_REQUIRE_CGROUP", default=not DEBUG)
SANDBOX_PYTHON = _text("SANDBOX_PYTHON", "/usr/bin/python3")
SANDBOX_BWRAP = _text("SANDBOX_BWRAP", "")
"""Absolute path of bubblewrap; empty: the distribution's, else the wheel's."""
SANDBOX_RUNTIME = _text("SANDBOX_RUNTIME", "")
"""Directory that sandboxed users may read; empty: one of its own in the system's temporary directory."""
SANDBOX_PACKAGES = _text("SANDBOX_PACKAGES", "")
"""Directory in which packages for bots are built; empty: in SANDBOX_RUNTIME; ``off``: none."""

# The queue (architecture.md, "The flow of one match").
MATCH_LEASE_S = _number("MATCH_LEASE_S", 30)
MATCH_MAX_ATTEMPTS = _number("MATCH_MAX_ATTEMPTS", 5)
LOG_DAYS = _number("LOG_DAYS", 90)
EVENT_BOT_MS = _number("EVENT_BOT_MS", 2_500)
EVENT_TRICK_MS = _number("EVENT_TRICK_MS", 1_600)
"""The pace of an event's tables, whatever its people like: nobody shall tell bots by theirs."""

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "stream": sys.stderr, "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": _text("LOG_LEVEL", "INFO")},
}
