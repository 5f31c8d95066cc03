"""Pages of accounts and of authors; and the answer under /api/ where nothing is."""

from __future__ import annotations

from django.contrib.auth import views as auth
from django.urls import URLPattern, URLResolver, path, re_path

from botapi import account_views as accounts
from botapi import views, webhook_views
from botapi.api.errors import unknown

app_name = "bots"
urlpatterns: list[URLPattern | URLResolver] = [
    path("login/", accounts.LogIn.as_view(), name="login"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("signup/", accounts.sign_up, name="signup"),
    path("verify/<str:token>/", accounts.verify, name="verify"),
    path("verify/new/<str:token>/", accounts.new_email, name="new_email"),
    path("me/verify/", accounts.send_link, name="send_link"),
    path("me/email/", accounts.change_email, name="change_email"),
    path("me/password/", accounts.ChangePassword.as_view(), name="change_password"),
    path("me/sessions/end/", accounts.end_other_sessions, name="end_other_sessions"),
    path("settings/", accounts.change_settings, name="settings"),
    path("password/", accounts.ResetPassword.as_view(), name="password_reset"),
    path(
        "password/sent/",
        auth.PasswordResetDoneView.as_view(template_name="botapi/password_sent.html"),
        name="password_sent",
    ),
    path(
        "password/<uidb64>/<token>/",
        accounts.NewPassword.as_view(),
        name="password_new",
    ),
    path("me/bots/", views.mine, name="mine"),
    path("me/bots/new/", views.new_bot, name="new"),
    path("me/tokens/", views.token_list, name="tokens"),
    path("me/tokens/<int:pk>/revoke/", views.revoke_token, name="revoke_token"),
    path("me/webhook/", webhook_views.webhook, name="webhook"),
    path("me/webhook/ping/", webhook_views.ping_webhook, name="ping_webhook"),
    path("me/webhook/remove/", webhook_views.remove_webhook, name="remove_webhook"),
    path("me/bots/<slug:name>/submit/", views.submit, name="submit"),
    path("me/bots/<slug:name>/describe/", views.describe, name="describe"),
    path("me/bots/<slug:name>/pause/", views.pause, name="pause"),
    path("me/bots/<slug:name>/resume/", views.resume, name="resume"),
    path("me/bots/<slug:name>/withdraw/", views.withdraw, name="withdraw"),
    path("me/bots/<slug:name>/secret/", views.new_secret, name="new_secret"),
    path("me/bots/<slug:name>/versions/<int:number>/", views.version, name="version"),
    path("me/bots/<slug:name>/versions/<int:number>/check/", views.check_again, name="check_again"),
    path("me/bots/<slug:name>/versions/<int:number>/activate/", views.activate, name="activate"),
    path("me/bots/<slug:name>/versions/<int:number>/source/", views.source, name="source"),
    path("bots/<slug:name>/report/", views.complain, name="complain"),
    re_path(r"^api/", unknown, name="api_unknown"),
]
