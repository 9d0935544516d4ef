#!/bin/sh
# Writes the Office documents of the tests from their sources in flat OpenDocument (.fods, .fodt, .fodp). Needs LibreOffice
# (Debian: libreoffice-calc, libreoffice-writer, libreoffice-impress); those here are of version 7.4.
#
# Every place in a document has an e-mail address that names it, so a test can say which of them are read.
set -eu
cd "$(dirname "$0")"
for pair in people.fods:xlsx people.fods:ods letter.fodt:docx letter.fodt:odt talk.fodp:pptx talk.fodp:odp; do
    soffice --headless --convert-to "${pair#*:}" "${pair%:*}" >&2
done
