"""Pages of matches."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from games import live_views, log_views, step_views, table_urls, views

app_name = "games"
urlpatterns: list[URLPattern | URLResolver] = [
    path("matches/", views.matches, name="matches"),
    path("matches/<int:pk>/", views.match, name="match"),
    path("matches/<int:pk>/fairness/", views.fairness, name="fairness"),
    path("matches/<int:pk>/log/", log_views.log, name="log"),
    path("matches/<int:pk>/deals/<int:number>/", step_views.deal, name="deal"),
    path("matches/<int:pk>/deals/<int:number>/steps/", step_views.steps, name="steps"),
    path("matches/<int:pk>/deals/<int:number>/play/", step_views.play, name="play_deal"),
    path("matches/<int:pk>/record.json", views.record_json, name="record_json"),
    path("matches/<int:pk>/record.txt", views.record_text, name="record_text"),
    path("live/", live_views.tables, name="live"),
    path("live/<int:pk>/", live_views.table, name="live_table"),
    *table_urls.urlpatterns,
]
