"""Addresses that open a study in the page for browsers: state.js reads them."""
import base64
import re
import zlib

# What a study needs that the page does not have: models, and files next to it.
NEEDS_MORE = re.compile(r"^\s*\[+(train|model|corpus|checkpoint)\b|^\s*(file|files|data|against)\s*=", re.MULTILINE)


def runs_in_the_page(study):
    return not NEEDS_MORE.search(study)


def fragment_of(study):
    packer = zlib.compressobj(9, wbits=-15)
    packed = packer.compress(study.encode()) + packer.flush()
    return "#tab=study&study=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")
