//! Client for IBM/HCL Informix databases.
