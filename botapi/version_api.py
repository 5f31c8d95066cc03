"""REST of versions: each view parses, makes one call, answers."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from botapi import bots, queries, submissions
from botapi import serializers as shapes
from botapi.api.auth import Scoped, person
from botapi.api.once import ONCE, once
from botapi.api.parsers import BoundedJson, BoundedUpload
from botapi.api_views import NAME, own_bot
from botapi.errors import DomainError
from botapi.foreign_zip import MAX_ZIP
from botapi.models import Version

NUMBER = OpenApiParameter("number", int, OpenApiParameter.PATH, description="the version's number")


def own_version(request: Request, name: str, number: int) -> Version:
    """A version of the asker's bot."""
    found = queries.version_of(person(request), name, number)
    if found is None:
        raise NotFound("You have no such version.")
    return found


@extend_schema(tags=["versions"], parameters=[NAME])
class VersionList(generics.ListAPIView[Version]):
    """The versions of one's own bot, the newest first."""

    serializer_class = shapes.VersionSerializer
    permission_classes = [Scoped]
    parser_classes = [BoundedUpload, BoundedJson]
    throttle_scope = "submit"
    queryset = Version.objects.none()

    def get_queryset(self) -> QuerySet[Version]:
        return queries.versions_of(own_bot(self.request, self.kwargs["name"]))

    @extend_schema(
        parameters=[ONCE],
        request={
            "multipart/form-data": shapes.NewVersionSerializer,
            "application/json": shapes.NewVersionUrlSerializer,
        },
        responses={200: shapes.VersionDetailSerializer, 201: shapes.VersionDetailSerializer},
    )
    def post(self, request: Request, name: str) -> Response:
        """Submit a version. 201 for a new one; the same content again is the same version, with 200."""
        bot = own_bot(request, name)
        wish = shapes.NewVersionSerializer(data=request.data)
        wish.is_valid(raise_exception=True)
        given = wish.validated_data
        upload = _upload(given.get("file"))
        content = (upload.filename, upload.data) if upload else ("", b"")

        def submit() -> Response:
            version, new = submissions.submit_version(
                bot, upload=upload, url=given["url"], label=given["label"]
            )
            code = status.HTTP_201_CREATED if new else status.HTTP_200_OK
            return Response(shapes.VersionDetailSerializer(version).data, status=code)

        response = once(request, submit, content=(*content, given["url"], given["label"]))
        response["Location"] = f"{request.path}{response.data['number']}/"
        return response


def _upload(file: Any) -> submissions.Upload | None:
    if file is None:
        return None
    if file.size > MAX_ZIP:
        raise DomainError(
            "too_large",
            gettext("The file has %(size)d bytes; %(most)d are the limit.")
            % {"size": file.size, "most": MAX_ZIP},
            413,
        )
    return submissions.Upload(file.name, file.read())


@extend_schema(tags=["versions"], parameters=[NAME, NUMBER])
class VersionDetail(APIView):
    """One version of one's own bot."""

    permission_classes = [Scoped]

    @extend_schema(responses=shapes.VersionDetailSerializer)
    def get(self, request: Request, name: str, number: int) -> Response:
        """With the report of its check."""
        return Response(shapes.VersionDetailSerializer(own_version(request, name, number)).data)


@extend_schema(tags=["versions"], parameters=[NAME, NUMBER])
class VersionCheck(APIView):
    """The check of a version."""

    permission_classes = [Scoped]
    throttle_scope = "submit"

    @extend_schema(request=None, responses={202: shapes.VersionDetailSerializer})
    def post(self, request: Request, name: str, number: int) -> Response:
        """Ask for another: an endpoint was down, or the bot shall come back from a suspension."""
        version = submissions.check_again(own_version(request, name, number))
        return Response(shapes.VersionDetailSerializer(version).data, status=status.HTTP_202_ACCEPTED)


@extend_schema(tags=["versions"], parameters=[NAME, NUMBER])
class VersionActivate(APIView):
    """Which version plays."""

    permission_classes = [Scoped]

    @extend_schema(request=None, responses=shapes.BotSerializer)
    def post(self, request: Request, name: str, number: int) -> Response:
        """Let this version play, an older one too; it must have passed its check."""
        bot = bots.activate_version(own_version(request, name, number))
        return Response(shapes.BotSerializer(queries.public_bots().get(pk=bot.pk)).data)


@extend_schema(tags=["versions"], parameters=[NAME, NUMBER])
class VersionSource(APIView):
    """The files of a version."""

    permission_classes = [Scoped]

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, name: str, number: int) -> HttpResponse:
        """As they were stored: the re-packed archive, for its author alone."""
        return source_of(own_version(request, name, number))


def source_of(version: Version) -> HttpResponse:
    """The stored archive as a download; 404 for an HTTP bot."""
    if version.artifact is None:
        raise DomainError("no_source", gettext("A version of an HTTP bot has no files here."), 404)
    response = HttpResponse(bytes(version.artifact.data), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{version.bot.name}-{version.number}.zip"'
    return response
