"""Pages of the ladder."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from ladder import bot_pages, home, pair_pages, tournament_views, views

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("bots/", bot_pages.bots, name="bots"),
    path("bots/<slug:name>/", bot_pages.bot, name="bot"),
    path("ladder/", views.ladder, name="ladder"),
    path("seasons/", views.seasons, name="seasons"),
    path("seasons/<slug:slug>/", views.season, name="season"),
    path("tournaments/", tournament_views.tournaments, name="tournaments"),
    path("tournaments/<slug:slug>/", tournament_views.tournament, name="tournament"),
    path("tournaments/<slug:slug>/enter/", tournament_views.enter, name="tournament_enter"),
    path("tournaments/<slug:slug>/withdraw/", tournament_views.withdraw, name="tournament_withdraw"),
    path("ratings/", views.method, name="rating_method"),
    path("bots/<slug:a>/against/<slug:b>/", pair_pages.against, name="bot_against"),
    path("seasons/<slug:slug>/matrix/", pair_pages.matrix, name="season_matrix"),
    path("bots/<slug:name>/rating/", views.bot_rating, name="bot_rating"),
]
