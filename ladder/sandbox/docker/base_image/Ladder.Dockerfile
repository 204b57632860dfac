# A ladder in containers: Debian's Python, nginx and docker-registry, and the wheels of Pigpen with its extra `ladder`.
ARG BASE

FROM ${BASE} AS install
LABEL pigpen.content=stage
COPY wheels /wheels
RUN python3 "$(echo /wheels/pip-*.whl)/pip" install --no-index --find-links=/wheels --no-cache-dir --root-user-action=ignore \
    --root=/install 'pigpen-arena[ladder]'

FROM ${BASE}
COPY --from=install /install /
ARG BASE_CONTENT
# Which bot base image the engine has: it was made from outside, where Debian's packages are reached.
ENV PIGPEN_BASE_CONTENT=${BASE_CONTENT} PYTHONUNBUFFERED=1
RUN printf '#!/bin/sh\nexec python3 -m ladder.cli.entry "$@"\n' > /usr/local/bin/pigpen \
 && chmod 755 /usr/local/bin/pigpen \
 && pigpen ladder --help >/dev/null && nginx -v && docker-registry --version
WORKDIR /etc/pigpen
CMD ["pigpen", "up"]
