"""openapi.yaml is a valid OpenAPI document. Each schema and member has a description. Each request body and each body of a
successful response has an example. All examples of bodies fit their schemas."""

import subprocess

import environment

# Schemas without a complete meaning of their own, such as ids and numbers. A member that refers to one of them needs
# its own description.
GENERIC = {"Identifier", "Reference", "Version", "Count", "NullableCount"}


def run(program, seed, is_long):
    programs = environment.make()
    file = environment.ROOT / "openapi.yaml"
    subprocess.run([programs / "openapi-spec-validator", file], check=True)
    environment.use()
    import yaml

    document = yaml.safe_load(file.read_text())
    faults = undescribed(document) + unfit(document)
    assert not faults, "\n".join(faults)


def undescribed(document):
    """The schemas, members, parameters and bodies without a description or an example."""
    components = document["components"]
    faults = []
    for name, schema in components["schemas"].items():
        if "description" not in schema:
            faults.append(f"schema {name}: no description")
        for member, value in schema.get("properties", {}).items():
            target = value.get("$ref", "").rpartition("/")[2]
            if "description" not in value and (not target or target in GENERIC):
                faults.append(f"schema {name}: {member} has no description")
    for name, parameter in components["parameters"].items():
        if "description" not in parameter:
            faults.append(f"parameter {name}: no description")
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            bodies = [operation.get("requestBody", {})]
            for status, response in operation["responses"].items():
                if str(status).startswith("2"):
                    reference = response.get("$ref", "").rpartition("/")[2]
                    bodies.append(components["responses"][reference] if reference else response)
            for media, content in (each for body in bodies for each in body.get("content", {}).items()):
                if not ("example" in content or content.get("examples")):
                    faults.append(f"{method} {path}: a body of {media} has no example")
    return faults


def unfit(document):
    """The examples of bodies that do not fit their schemas."""
    from jsonschema import Draft202012Validator

    components = document["components"]

    def resolved(part, kind):
        return components[kind][part["$ref"].rpartition("/")[2]] if "$ref" in part else part

    faults = []
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            bodies = [operation.get("requestBody", {})]
            bodies += [resolved(response, "responses") for response in operation["responses"].values()]
            for content in (content for body in bodies for content in body.get("content", {}).values()):
                examples = [resolved(example, "examples")["value"] for example in content.get("examples", {}).values()]
                examples += [content["example"]] if "example" in content else []
                fitting = Draft202012Validator({"components": components, "allOf": [content["schema"]]})
                for fault in (fault for example in examples for fault in fitting.iter_errors(example)):
                    faults.append(f"{method} {path}: {fault.message} in an example")
    return faults
