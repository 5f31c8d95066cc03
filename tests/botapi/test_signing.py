"""Signatures, with a vector of the Standard Webhooks scheme."""

import base64
import hashlib
import hmac
import html
import re

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from botapi import signing

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"test": 2432232314}'


def test_the_published_vector():
    """From the examples that the scheme's libraries share."""
    signature = signing.signature(
        signing.secret_key(SECRET), "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, BODY
    )
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.django_db
def test_the_vector_of_the_docs_is_what_the_docs_describe():
    """The signature is made here from the words of the page alone; then our own receivers take it."""
    page = Client().get("/docs/protocol/").content.decode()
    (block,) = re.findall(r'data-test="vector"[^>]*><code>(.*?)</code>', page, re.DOTALL)
    shown = dict(line.split(": ", 1) for line in html.unescape(block).splitlines())
    key = base64.b64decode(shown["secret"].removeprefix("whsec_"))
    stamp = shown["webhook-timestamp"]
    content = f"{shown['webhook-id']}.{stamp}.{shown['body']}".encode()
    made = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    assert shown["webhook-signature"] == f"v1,{made}"
    signing.verify([shown["secret"]], shown, shown["body"].encode(), now=float(stamp))
    with pytest.raises(signing.BadSignature):
        signing.verify([shown["secret"]], shown, shown["body"].encode() + b"\n", now=float(stamp))


def test_what_is_signed_verifies():
    headers = signing.headers([SECRET], "m/1/0/5", 1000, BODY)
    signing.verify([SECRET], headers, BODY, now=1000)


def test_either_of_two_secrets_verifies_while_one_is_rotated():
    old, new = signing.new_secret(), signing.new_secret()
    headers = signing.headers([old, new], "m/1/0/5", 1000, BODY)
    signing.verify([old], headers, BODY, now=1000)
    signing.verify([new], headers, BODY, now=1000)
    with pytest.raises(signing.BadSignature):
        signing.verify([signing.new_secret()], headers, BODY, now=1000)


@pytest.mark.parametrize(
    "change",
    [
        {"webhook-id": "m/1/0/6"},
        {"webhook-timestamp": "1001"},
        {"webhook-timestamp": "a"},
        {"webhook-timestamp": "9" * 40},
        {"webhook-signature": ""},
        {"webhook-signature": "v1,AAAA"},
        {"webhook-signature": "v1,ü"},
    ],
)
def test_a_changed_header_does_not_verify(change):
    headers = signing.headers([SECRET], "m/1/0/5", 1000, BODY) | change
    with pytest.raises(signing.BadSignature):
        signing.verify([SECRET], headers, BODY, now=1000)


def test_an_old_request_does_not_verify():
    headers = signing.headers([SECRET], "m/1/0/5", 1000, BODY)
    with pytest.raises(signing.BadSignature, match="too far"):
        signing.verify([SECRET], headers, BODY, now=1301)


@pytest.mark.parametrize("secret", ["abc", "whsec_***", "whsec_a"])
def test_what_is_no_secret_is_refused(secret):
    with pytest.raises(ValueError, match="signing secret"):
        signing.secret_key(secret)


@given(st.binary(max_size=200), st.text(max_size=20))
def test_any_body_and_id_round_trips(body, message_id):
    headers = signing.headers([SECRET], message_id or "x", 5, body)
    signing.verify([SECRET], headers, body, now=5)
