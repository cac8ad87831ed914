"""Serves a bucket as S3 does, for tests: Moto with users, keys and signatures that are checked.

Arguments: the file of a picture. Prints one line of JSON once it listens, and ends at the end of its input.
"""

import json
import logging
import sys
import urllib.request
from datetime import timedelta

import boto3
from moto.core import DEFAULT_ACCOUNT_ID
from moto.s3.models import s3_backends
from moto.server import ThreadedMotoServer

BUCKET = "pictures"
KEYS = ["a.png", "a b+c(1)~*'é.png", "new/a.png", "changing.png", "versions/a.png"]


def policy(*actions: str) -> str:
    statement = {"Effect": "Allow", "Action": list(actions), "Resource": "*"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def key(iam, user: str, *actions: str) -> list[str]:
    """A key of a new user who may do `actions`."""
    iam.create_user(UserName=user)
    if actions:
        iam.put_user_policy(UserName=user, PolicyName="p", PolicyDocument=policy(*actions))
    made = iam.create_access_key(UserName=user)["AccessKey"]
    return [made["AccessKeyId"], made["SecretAccessKey"], ""]


def main() -> None:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with open(sys.argv[1], "rb") as file:
        picture = file.read()
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    endpoint = "http://{}:{}".format(*server.get_host_and_port())

    def client(name: str):
        return boto3.client(
            name, endpoint_url=endpoint, region_name="us-west-1", aws_access_key_id="a", aws_secret_access_key="b"
        )

    s3, iam, sts = client("s3"), client("iam"), client("sts")
    s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "us-west-1"})
    s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    for name in KEYS:
        first = s3.put_object(Bucket=BUCKET, Key=name, Body=picture, ContentType="image/png")
    s3.put_object(Bucket=BUCKET, Key="versions/a.png", Body=b"no picture")
    s3.put_object(Bucket=BUCKET, Key="private.png", Body=picture, CacheControl="private")
    # Moto heeds If-Modified-Since beside If-None-Match: an object that changes within its second seems the same.
    backend = s3_backends[DEFAULT_ACCOUNT_ID]["aws"]
    backend.get_object(BUCKET, "changing.png").last_modified -= timedelta(days=1)
    role = iam.create_role(RoleName="reader", AssumeRolePolicyDocument=policy("sts:AssumeRole"))["Role"]["Arn"]
    iam.put_role_policy(RoleName="reader", PolicyName="p", PolicyDocument=policy("s3:*"))
    temporary = sts.assume_role(RoleArn=role, RoleSessionName="test")["Credentials"]
    facts = {
        "endpoint": endpoint,
        "version": first["VersionId"],
        "writer": key(iam, "writer", "s3:*"),
        "reader": key(iam, "reader", "s3:GetObject"),
        "stranger": key(iam, "stranger"),
        "assumer": key(iam, "assumer", "sts:AssumeRole"),
        "role": role,
        "temporary": [temporary[name] for name in ("AccessKeyId", "SecretAccessKey", "SessionToken")],
    }
    # From now on signatures and rights are checked.
    plain = {"Content-Type": "text/plain"}
    urllib.request.urlopen(urllib.request.Request(f"{endpoint}/moto-api/reset-auth", data=b"0", headers=plain))
    print(json.dumps(facts), flush=True)
    sys.stdin.read()
    server.stop()


main()
