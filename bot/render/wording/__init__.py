"""What `impact` says of schemas and data files, as findings."""
