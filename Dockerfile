# shortlist in a container, on the folder you are in:
#   docker build -t shortlist .
#   docker run --rm -v "$PWD:/work" shortlist run
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/shortlist && /opt/shortlist/bin/pip install --no-cache-dir '.[report,excel]'

FROM python:3.13-slim
COPY --from=build /opt/shortlist /opt/shortlist
ENV PATH=/opt/shortlist/bin:$PATH
RUN useradd --uid 1000 --create-home person
USER 1000
WORKDIR /work
ENTRYPOINT ["shortlist"]
CMD ["--help"]
