# The course as an image, for one learner or for a JupyterHub:
#   docker build -t virtual-threads .
#   docker run --rm -p 127.0.0.1:8888:8888 -v virtual-threads:/home/jovyan virtual-threads
# The volume keeps the learner's work. make image builds the image and walks through it.

# --- what runs the course beside Java: Python, fonts for the charts, git for nbgitpuller ---
FROM debian:trixie-slim AS base
# The packages are Debian's, at the versions of its stable release with its security updates.
# Perl's library, 50 MB that only git's extras need, goes in the same step.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        ca-certificates fontconfig fonts-dejavu-core git libfreetype6 libharfbuzz0b \
        libjpeg62-turbo liblcms2-2 python3 tini \
    && rm -rf /usr/lib/*/perl /usr/share/perl /var/lib/apt/lists/*
ENV JAVA_HOME=/opt/java \
    LC_ALL=C.UTF-8 \
    PATH=/opt/java/bin:$PATH

# --- what only the build needs: Debian's JDK, Maven and pip ---
FROM base AS build
COPY pom.xml /opt/build/
# hadolint ignore=DL3008
RUN java=$(sed -n 's/.*<maven.compiler.release>\([0-9]*\)<.*/\1/p' /opt/build/pom.xml) \
    && apt-get update \
    && apt-get install --yes --no-install-recommends maven "openjdk-$java-jdk-headless" python3-venv \
    && rm -rf /var/lib/apt/lists/*
# The JDK of the image: all modules of Debian's, compressed, without the 340 MB of jmods they are linked from.
RUN for jmods in /usr/lib/jvm/java-*-openjdk-*/jmods; do \
        /usr/bin/jlink --module-path "$jmods" --add-modules ALL-MODULE-PATH --compress zip-6 \
            --no-header-files --no-man-pages --generate-cds-archive --output /opt/java && break; \
    done
# Maven trusts what Debian trusts, for example the certificate of a company's mirror.
# Maven asks Java for its home, pip asks the shell.
ENV HOME=/opt/build \
    MAVEN_OPTS="-Duser.home=/opt/build -Djavax.net.ssl.trustStore=/etc/ssl/certs/java/cacerts"
WORKDIR /opt/course
COPY requirements.txt pom.xml ./
COPY .mvn .mvn
COPY requirements requirements
COPY threadlab threadlab
COPY whatwaits whatwaits
COPY data data
COPY tools/setup.py tools/
COPY tools/bootstrap tools/bootstrap
COPY tools/publish tools/publish
# Where packages come from a mirror, the settings that name it are lent as secrets and do not stay.
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    --mount=type=secret,id=maven,target=/opt/build/.m2/settings.xml \
    --mount=type=cache,target=/opt/build/.cache/pip \
    --mount=type=cache,target=/opt/build/.m2/repository \
    { python3 tools/setup.py || { tail -v -n 30 build/*.log; exit 1; }; } \
    && .venv/bin/pip install --no-compile --disable-pip-version-check -r requirements/hub.txt \
    # nobody debugs Python here
    && .venv/bin/pip uninstall --yes debugpy \
    && PYTHONPATH=tools .venv/bin/python tools/publish/licences.py \
    # compiles what a start imports, for nobody can do so later
    && .venv/bin/jupyter server extension list \
    && .venv/bin/python -c 'import jupyterhub.singleuser.app, nbconvert.exporters, ipykernel.zmqshell' \
    # the pages of the hub itself; and pip, for nobody in the image may change the environment
    && rm -rf .venv/share/jupyterhub/static \
    # what only other languages than English need, which nobody can install here
    && find .venv/lib/python3*/site-packages/babel/locale-data -type f ! -name 'en*' ! -name root.dat -delete \
    && .venv/bin/pip uninstall --yes pip

# --- the image ---
FROM base
LABEL org.opencontainers.image.title="Virtual Threads by Experiment" \
      org.opencontainers.image.description="Jupyter notebooks in Java that teach virtual threads by experiment" \
      org.opencontainers.image.licenses="Apache-2.0 AND CC-BY-4.0"
# Group 0 may write as well: OpenShift gives a container any uid, always in this group.
RUN useradd --uid 1000 --gid 0 --create-home --shell /bin/bash jovyan \
    && mkdir /home/jovyan/virtual-threads \
    && chown -R 1000:0 /home/jovyan \
    && chmod -R g=u /home/jovyan
COPY --from=build /opt/java /opt/java
COPY --from=build /opt/course/.venv /opt/course/.venv
COPY --from=build /opt/course/build/third-party.md /opt/course/
COPY LICENSE README.md /opt/course/
COPY data /opt/course/data
COPY notebooks /opt/course/notebooks
COPY --chmod=755 tools/publish/start-image /usr/local/bin/start-image
# A class link merges a learner's notebooks by cells, as make update does.
COPY tools/notebooks/merge.py /opt/course/
RUN echo '*.ipynb merge=notebook' > /etc/gitattributes \
    && git config --system merge.notebook.driver \
        '/opt/course/.venv/bin/python /opt/course/merge.py %O %A %B'
ENV HOME=/home/jovyan \
    PATH=/opt/course/.venv/bin:$PATH \
    VIRTUAL_ENV=/opt/course/.venv \
    JUPYTER_PATH=/opt/course/.venv/share/jupyter \
    JUPYTER_PREFER_ENV_PATH=1 \
    SHELL=/bin/bash \
    MALLOC_ARENA_MAX=2
USER 1000
WORKDIR /home/jovyan
EXPOSE 8888
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python3", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:8888' + os.environ.get('JUPYTERHUB_SERVICE_PREFIX', '/') + 'api')"]
ENTRYPOINT ["tini", "-g", "--", "start-image"]
CMD ["jupyter", "lab", "--ip=0.0.0.0", "--port=8888", "--no-browser", "--LabApp.default_url=/lab/tree/notebooks/00-start-here.ipynb"]
