# Where the referee runs if the engine is in a virtual machine: the bot base image and the wheels of Pigpen.
ARG BASE

FROM ${BASE} AS install
USER 0:0
LABEL pigpen.content=stage
COPY wheels /wheels
RUN python3 -m pip install --no-index --find-links=/wheels --no-cache-dir --root-user-action=ignore --root=/install \
    pigpen-arena

FROM ${BASE}
USER 0:0
COPY --from=install /install /
RUN python3 -c "import ladder.cli.entry, ladder.app.local.play, ladder.sandbox.docker.docker_sandbox"
